// The parts of a condition or expression: what where_parser.cpp builds and where.cpp works out.
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
  std::size_t axis = 0;                        ///< which of the values that evaluate() is given
  std::unique_ptr<const Term> left{}, right{}; ///< `left` alone for negate, minus and log2 to absolute
};

using WhereTerm = std::unique_ptr<const Condition::Term>;

/// Where what a name stands for is among the values that evaluate() is given. Throws WhereError.
using NameMeaning = std::function<std::size_t(const std::string& name, std::size_t offset)>;

/// Of `paths` the one that is `written`, or that alone ends in it. Throws WhereError: "... is no axis; did you mean
/// ...".
std::size_t path_meant(const std::vector<std::string>& paths, const std::string& written, std::size_t offset,
                       const std::string& noun);

WhereTerm parse_terms(const std::string& text, const NameMeaning& meaning);
WhereTerm parse_condition(const std::string& text, const std::vector<std::string>& paths);
/// Names are readings, which are added to `readings` as they are met.
WhereTerm parse_expression(const std::string& text, std::vector<Reading>& readings);

/// Throws WhereError where `values` do not fit the term, and, if `finite`, where a number on the way is none (1 / 0).
/// A value that is NaN is unknown, and so is each number that depends on it.
WhereValue evaluate(const Condition::Term& term, const std::vector<WhereValue>& values, bool finite = false);

} // namespace gradflight
