// A codec's parameter: declared once, for the command line, scenarios, their schema and every help.
#pragma once

#include "models/codecs/parts/settings.hpp"

#include <string_view>
#include <variant>
#include <vector>

namespace gradflight::codec {

struct Parameter {
  enum class Type { integer, number, choice };
  using Member = std::variant<int Settings::*, std::uint64_t Settings::*, double Settings::*,
                              inceptionn::Variant Settings::*>; ///< a choice: its names are the enumerators, in order

  std::string_view name;
  Type type;
  Member member;
  std::string_view initial; ///< as text
  std::string_view meaning; ///< of the value: what follows "it is ..."
  double min = 0, max = 0;  ///< integer and number
  bool above_min = false;   ///< `min` itself is not allowed
  bool below_max = false;   ///< nor `max`, also not when rounded to float32, as which the codec works with it
  std::vector<std::string_view> choices{};
};

/// Sets the parameter from text; false where that is not allowed. Whole numbers may be written 1e3.
bool assign(Settings& settings, const Parameter& parameter, std::string_view text);

/// The value as text that `assign` takes.
std::string value_text(const Settings& settings, const Parameter& parameter);

/// What is allowed: "-14 to -1", "at least 1, below 2", "window, literal or promote".
std::string range_text(const Parameter& parameter);

/// 2^64, one more than the largest unsigned 64-bit number; exact as a double.
inline constexpr double two_to_64 = 18446744073709551616.0;

} // namespace gradflight::codec
