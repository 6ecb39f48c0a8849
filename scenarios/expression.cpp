#include "scenarios/expression.hpp"

#include "scenarios/where_term.hpp"

namespace gradflight {

Expression::Expression(const std::string& text) : root_(parse_expression(text, readings_)) {
  // Kinds and dimensions do not depend on the values, so one try tells.
  statement_ = std::holds_alternative<bool>(value(std::vector<double>(readings_.size(), 1)));
}

std::variant<bool, double> Expression::value(const std::vector<double>& values) const {
  std::vector<WhereValue> amounts;
  amounts.reserve(values.size());
  for (const double v : values) amounts.emplace_back(Amount{v, {}});
  const auto result = evaluate(*root_, amounts);
  if (const auto* truth = std::get_if<bool>(&result)) return *truth;
  const auto* amount = std::get_if<Amount>(&result);
  if (amount == nullptr || amount->powers != Powers{})
    throw WhereError{root_->offset, "a plain number is needed, or true or false: readings are in seconds and bytes"};
  return amount->value;
}

} // namespace gradflight
