// A single value of a result, without its name and unit.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace gradflight {

using ResultValue = std::variant<bool, std::int64_t, double, std::string>;

/// Returns an integer if the number is a whole number below 9.2e18.
ResultValue whole_value(double value);
inline ResultValue whole_value(std::int64_t value) { return value; }
template <class Number> std::optional<ResultValue> whole_value(const std::optional<Number>& value) {
  return value ? std::optional(whole_value(*value)) : std::nullopt;
}

/// Returns nothing for a truth value or a text.
std::optional<double> number_of(const ResultValue& value);

/// Returns the number for "0", "12", ...; nothing for other text.
std::optional<std::size_t> item_number(std::string_view text);

inline std::optional<ResultValue> result_value(bool value) { return value; }
inline std::optional<ResultValue> result_value(double value) { return value; }
inline std::optional<ResultValue> result_value(std::string value) { return value; }
inline std::optional<ResultValue> result_value(const char* value) { return std::string(value); }
template <std::signed_integral Integer> std::optional<ResultValue> result_value(Integer value) {
  return std::int64_t{value};
}
template <class V> std::optional<ResultValue> result_value(const std::optional<V>& value) {
  return value ? result_value(*value) : std::nullopt;
}

} // namespace gradflight
