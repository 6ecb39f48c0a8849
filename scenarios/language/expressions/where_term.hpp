// The parts of a condition or expression: what where_parser.cpp builds and where.cpp works out.
#pragma once

#include "scenarios/language/expressions/expression.hpp"
#include "scenarios/language/expressions/where.hpp"

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
  std::unique_ptr<const Term> left{}, right{}; ///< `left` alone for negate and minus
};

using WhereTerm = std::unique_ptr<const Condition::Term>;

WhereTerm parse_condition(const std::string& text, const std::vector<std::string>& paths);
/// Names are readings, which are added to `readings` as they are met.
WhereTerm parse_expression(const std::string& text, std::vector<Reading>& readings);

/// Throws WhereError where `values` do not fit the term, and, if `finite`, where a number on the way is none (1 / 0).
WhereValue evaluate(const Condition::Term& term, const std::vector<WhereValue>& values, bool finite = false);

} // namespace gradflight
