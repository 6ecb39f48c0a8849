// Plain numbers in texts: no unit, no blanks and no plus sign, in every locale.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace gradflight {

/// Returns the number if the whole text is one that fits T. For floating-point types, "inf" and "nan" are numbers.
template <class T> std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

} // namespace gradflight
