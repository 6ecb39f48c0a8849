#include "models/codecs/parameters.hpp"

#include "base/letters.hpp"
#include "base/parse_number.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <type_traits>

namespace gradflight::codec {
namespace {

bool allowed(const Parameter& p, double value) {
  const bool above = p.above_min ? value > p.min : value >= p.min;
  const bool below =
      p.below_max ? value < p.max && static_cast<double>(static_cast<float>(value)) < p.max : value <= p.max;
  return above && below; // false for NaN
}

/// Accepts an integer as digits, or as a number with an integer value (1e3).
template <class T> std::optional<T> whole(const Parameter& p, std::string_view text) {
  constexpr double exact = 9007199254740992.0;
  if (const auto value = parse_number<T>(text)) {
    const T last = p.max < two_to_64 ? static_cast<T>(p.max) : std::numeric_limits<T>::max();
    return *value >= static_cast<T>(p.min) && *value <= last ? value : std::nullopt;
  }
  const auto value = parse_number<double>(text);
  if (!value || std::floor(*value) != *value || std::abs(*value) > exact || !allowed(p, *value)) return std::nullopt;
  return static_cast<T>(*value);
}

} // namespace

bool assign(Settings& settings, const Parameter& parameter, std::string_view text) {
  return std::visit(
      [&]<class T>(T Settings::*member) {
        std::optional<T> value;
        if constexpr (std::is_enum_v<T>) {
          const auto found = std::ranges::find(parameter.choices, text);
          if (found != parameter.choices.end()) value = static_cast<T>(found - parameter.choices.begin());
        } else if constexpr (std::is_integral_v<T>) {
          value = whole<T>(parameter, text);
        } else {
          value = parse_number<T>(text);
          if (value && !allowed(parameter, *value)) value.reset();
        }
        if (value) settings.*member = *value;
        return value.has_value();
      },
      parameter.member);
}

std::string value_text(const Settings& settings, const Parameter& parameter) {
  return std::visit(
      [&]<class T>(T Settings::*member) -> std::string {
        if constexpr (std::is_enum_v<T>)
          return std::string(parameter.choices[static_cast<std::size_t>(settings.*member)]);
        else
          return fmt::format("{}", settings.*member);
      },
      parameter.member);
}

std::string range_text(const Parameter& p) {
  switch (p.type) {
  case Parameter::Type::integer:
    return fmt::format("{} to {}", p.min, p.max < two_to_64 ? fmt::format("{}", p.max) : "2^64 - 1");
  case Parameter::Type::number:
    return fmt::format("{} {}, {} {}", p.above_min ? "above" : "at least", p.min, p.below_max ? "below" : "at most",
                       p.max);
  case Parameter::Type::choice: return enumerated({p.choices.begin(), p.choices.end()});
  }
  return {};
}

} // namespace gradflight::codec
