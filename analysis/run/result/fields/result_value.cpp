#include "analysis/run/result/fields/result_value.hpp"

#include "base/parse_number.hpp"

#include <cmath>

namespace gradflight {

ResultValue whole_value(double value) {
  if (std::nearbyint(value) == value && std::abs(value) < 9.2e18) return static_cast<std::int64_t>(value);
  return value;
}

std::optional<double> number_of(const ResultValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::optional<std::size_t> item_number(std::string_view text) { return parse_number<std::size_t>(text); }

} // namespace gradflight
