#include "scenarios/language/expressions/expression.hpp"

#include "scenarios/language/expressions/where_term.hpp"

namespace gradflight {
namespace {

using Term = Condition::Term;

bool is_constant(const Term* term) {
  return term == nullptr ||
         (term->kind != Term::Kind::axis && is_constant(term->left.get()) && is_constant(term->right.get()));
}

/// Rejects expressions that fail for all readings: a division by a constant zero, or a constant out of range.
void check_constants(const Term* term) {
  if (term == nullptr) return;
  check_constants(term->left.get());
  check_constants(term->right.get());
  if (is_constant(term)) evaluate(*term, {}, true);
  const bool divides = term->kind == Term::Kind::divide || term->kind == Term::Kind::remainder;
  if (!divides || !is_constant(term->right.get())) return;
  const auto divisor = evaluate(*term->right, {}, true);
  if (const auto* amount = std::get_if<Amount>(&divisor); amount != nullptr && amount->value == 0)
    throw WhereError{term->offset, "division by zero"};
}

WhereValue evaluate_readings(const Term& root, const std::vector<double>& readings, bool finite) {
  std::vector<WhereValue> amounts;
  amounts.reserve(readings.size());
  for (const double reading : readings) amounts.emplace_back(Amount{reading, {}});
  auto result = evaluate(root, amounts, finite);
  const auto* amount = std::get_if<Amount>(&result);
  if (!std::holds_alternative<bool>(result) && (amount == nullptr || amount->powers != Powers{}))
    throw WhereError{root.offset,
                     "expected a plain number, or true or false; quantities of a result are in seconds and bytes"};
  return result;
}

} // namespace

Expression::Expression(const std::string& text) : root_(parse_expression(text, readings_)) {
  // Kinds and dimensions do not depend on the values, so one evaluation determines them.
  statement_ = std::holds_alternative<bool>(evaluate_readings(*root_, std::vector<double>(readings_.size(), 1), false));
  check_constants(root_.get());
}

std::variant<bool, double> Expression::value(const std::vector<double>& values) const {
  const auto result = evaluate_readings(*root_, values, true);
  if (const auto* truth = std::get_if<bool>(&result)) return *truth;
  return std::get<Amount>(result).value;
}

} // namespace gradflight
