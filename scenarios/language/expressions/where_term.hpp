// The terms of a condition or expression: where_parser.cpp builds them, and where.cpp evaluates them.
#pragma once

#include "scenarios/language/expressions/expression.hpp"
#include "scenarios/language/expressions/where.hpp"

#include <functional>

namespace gradflight {

struct Condition::Term {
  enum class Kind {
    literal,
    axis,
    negate,
    minus,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    least,
    greatest,
    power,
    log2,
    natural_log,
    square_root,
    round_up,
    round_down,
    absolute,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
    both,
    one
  };
  Kind kind = Kind::literal;
  std::size_t offset = 0; ///< of the operator, literal or name
  WhereValue literal{};
  std::size_t axis = 0;                        ///< index of a value passed to evaluate()
  std::unique_ptr<const Term> left{}, right{}; ///< negate, minus, and log2 to absolute use only `left`
};

using WhereTerm = std::unique_ptr<const Condition::Term>;

/// Returns the index of a name's value among the values of evaluate(). Throws WhereError.
using NameMeaning = std::function<std::size_t(const std::string& name, std::size_t offset)>;

/// Returns the index of the element of `paths` that equals `written`, or of the only one that ends with it. Throws
/// WhereError: "... is no axis; did you mean ...".
std::size_t index_of_path(const std::vector<std::string>& paths, const std::string& written, std::size_t offset,
                          const std::string& noun);

WhereTerm parse_terms(const std::string& text, const NameMeaning& meaning);
WhereTerm parse_condition(const std::string& text, const std::vector<std::string>& paths);
/// Names are readings; the function adds each to `readings`.
WhereTerm parse_expression(const std::string& text, std::vector<Reading>& readings);

/// Throws WhereError if `values` do not match the term. With `finite`, also throws if an intermediate number is not
/// finite (1 / 0). NaN means unknown, and so is each number that depends on it.
WhereValue evaluate(const Condition::Term& term, const std::vector<WhereValue>& values, bool finite = false);

} // namespace gradflight
