// A parameter of a codec: declared once, for the command line, scenarios, their schema and all help texts.
#pragma once

#include "models/codecs/parts/settings.hpp"

#include <string_view>
#include <variant>
#include <vector>

namespace gradflight::codec {

struct Parameter {
  enum class Type { integer, number, choice };
  using Member = std::variant<int Settings::*, std::uint64_t Settings::*, double Settings::*,
                              inceptionn::Variant Settings::*>; ///< a choice's names are the enumerators in order

  std::string_view name;
  Type type;
  Member member;
  std::string_view initial; ///< as text
  std::string_view meaning; ///< the meaning of the value: the text after "it is ..."
  double min = 0, max = 0;  ///< for integers and numbers
  bool above_min = false;   ///< `min` itself is not allowed
  /// `max` itself is not allowed, even after rounding to float32, because the codec uses that value
  bool below_max = false;
  std::vector<std::string_view> choices{};
};

/// Sets the parameter from text; returns false if the value is not allowed. Whole numbers may be written as 1e3.
bool assign(Settings& settings, const Parameter& parameter, std::string_view text);

/// Returns the value as text that `assign` accepts.
std::string value_text(const Settings& settings, const Parameter& parameter);

/// Returns the allowed values: "-14 to -1", "at least 1, below 2", "window, literal or promote".
std::string range_text(const Parameter& parameter);

/// 2^64, one more than the largest unsigned 64-bit number; exact as a double.
inline constexpr double two_to_64 = 18446744073709551616.0;

} // namespace gradflight::codec
