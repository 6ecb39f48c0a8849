#include "models/units/unit_text.hpp"

#include "models/units/unit_table.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr bool digit(char c) { return c >= '0' && c <= '9'; }

struct NumberText {
  std::string_view mantissa; ///< digits and point
  int exponent = 0;
  std::size_t length = 0; ///< 0: the text does not begin with a number
};

NumberText scan_number(std::string_view text) {
  std::size_t end = 0;
  const auto digits = [&] {
    const auto first = end;
    while (end < text.size() && digit(text[end])) ++end;
    return end - first;
  };
  if (digits() == 0 || (text[0] == '0' && end > 1)) return {};
  if (end < text.size() && text[end] == '.') {
    ++end;
    if (digits() == 0) return {};
  }
  NumberText number{text.substr(0, end), 0, end};
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    auto first = ++end;
    if (end < text.size() && (text[end] == '+' || text[end] == '-')) first = text[end] == '+' ? ++end : end++;
    if (digits() == 0) return {};
    const auto result = std::from_chars(text.data() + first, text.data() + end, number.exponent);
    // No double reaches 10^100000 in any notation. The sign decides between "too large" and "too small".
    if (result.ec != std::errc{}) number.exponent = text[first] == '-' ? -100'000 : 100'000;
    number.length = end;
  }
  return number;
}

std::string allowed(Dimension dimension) {
  std::string list;
  for (const auto& unit : units_of(dimension)) list += (list.empty() ? "" : ", ") + std::string(unit.name);
  return list;
}

const char* example(Dimension dimension) {
  switch (dimension) {
  case Dimension::time: return "5us";
  case Dimension::bytes: return "100MB";
  case Dimension::byte_rate: return "10Gbps";
  case Dimension::flops: return "3.2GFLOP";
  case Dimension::flop_rate: return "6TFLOP/s";
  case Dimension::time_per_byte: return "0.5ns/B";
  }
  throw std::invalid_argument("unknown dimension");
}

/// Returns the text in quotes; shortens a long text.
std::string quoted(std::string_view text) {
  constexpr std::size_t shown = 60;
  return text.size() > shown ? fmt::format("\"{}...\"", text.substr(0, shown)) : fmt::format("\"{}\"", text);
}

/// Returns how to write a number without its comma, "write 2.5"; `text` begins with the number, which ends at a comma.
std::string without_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  std::size_t end = comma + 1;
  while (end < text.size() && digit(text[end])) ++end;
  const std::string whole(text.substr(0, comma)), rest(text.substr(comma + 1, end - comma - 1));
  constexpr std::size_t group = 3;
  return rest.size() == group ? fmt::format("write {}.{} or {}{}", whole, rest, whole, rest)
                              : fmt::format("write {}.{}", whole, rest);
}

[[noreturn]] void fail(std::string_view text, Dimension dimension, const std::string& problem) {
  throw UnitError(fmt::format("{} is not a {}: {}{} Expected a number with a unit, such as \"{}\". Allowed units: {}",
                              quoted(text), dimension_name(dimension), problem, problem.ends_with('?') ? "" : ".",
                              example(dimension), allowed(dimension)));
}

double convert(std::string_view text, const NumberText& number, UnitScale unit, Dimension dimension) {
  const auto decimal = fmt::format("{}e{}", number.mantissa, number.exponent + unit.decimal);
  double value = 0;
  const auto result = std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
  const bool zero = number.mantissa.find_first_not_of("0.") == std::string_view::npos;
  if (zero) return 0;
  if (result.ec != std::errc{}) {
    // from_chars does not report whether the value is too large or too small; its magnitude tells.
    auto digits_before = static_cast<int>(std::min(number.mantissa.find('.'), number.mantissa.size()));
    if (number.exponent + unit.decimal + digits_before > 0) fail(text, dimension, "it is too large");
    fail(text, dimension, "it is too small: it would be rounded to zero");
  }
  value *= unit.factor;
  if (!std::isfinite(value)) fail(text, dimension, "it is too large");
  if (value == 0) fail(text, dimension, "it is too small: it would be rounded to zero");
  return value;
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

} // namespace

const char* dimension_name(Dimension dimension) {
  switch (dimension) {
  case Dimension::time: return "time";
  case Dimension::bytes: return "size in bytes";
  case Dimension::byte_rate: return "bandwidth";
  case Dimension::flops: return "number of operations";
  case Dimension::flop_rate: return "rate of operations";
  case Dimension::time_per_byte: return "time per byte";
  }
  throw std::invalid_argument("unknown dimension");
}

std::optional<Dimension> dimension_of(std::string_view text) {
  for (const auto dimension : dimensions) {
    try {
      parse_quantity(text, dimension);
      return dimension;
    } catch (const UnitError&) {
    }
  }
  return std::nullopt;
}

double parse_quantity(std::string_view text, Dimension dimension) {
  if (text.empty()) fail(text, dimension, "it is empty");
  if (text[0] == '-') fail(text, dimension, "it must not be negative");
  if (text[0] == '+') fail(text, dimension, "remove the plus sign");
  if (text[0] == ' ') fail(text, dimension, "remove the blank before the number");
  const auto number = scan_number(text);
  if (number.length == 0) fail(text, dimension, "it does not begin with a number such as 0.5 or 1e-3");
  auto unit_text = text.substr(number.length);
  if (!unit_text.empty() && unit_text[0] == ' ') unit_text.remove_prefix(1);
  if (unit_text.empty()) fail(text, dimension, "it has no unit");
  if (const auto unit = unit_spelt(unit_text, dimension)) return convert(text, number, *unit, dimension);
  if (unit_text.size() > 1 && unit_text[0] == ',' && digit(unit_text[1]) &&
      number.mantissa.find('.') == std::string_view::npos && text[number.length] == ',')
    fail(text, dimension, "it has a comma: " + without_comma(text));
  const auto near = nearest_unit(unit_text, dimension);
  fail(text, dimension,
       fmt::format("its unit {} is not known here", quoted(unit_text)) +
           (near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
}

std::string format_quantity(double value, Dimension dimension, UnitStyle style) {
  if (!std::isfinite(value) || std::signbit(value)) throw std::invalid_argument("format_quantity: " + shortest(value));
  const auto units = units_of(dimension);
  const bool readable = value == std::floor(value) && value < 1e15; // 1250000000 rather than 1.25e+09
  if (style == UnitStyle::base) return (readable ? fmt::format("{:.0f}", value) : shortest(value)) + units[0].name;
  auto best = shortest(value) + units[0].name;
  if (value == 0) return best;
  for (const auto& unit : units.subspan(1)) {
    const auto scaled = value / unit.scale.factor / std::pow(10.0, unit.scale.decimal);
    if (scaled < 1 || scaled >= 10000) continue;
    // Division rounds, so a candidate is valid only if parsing it gives the same bits.
    for (int digits = 1; digits <= 6; ++digits) {
      const auto text = fmt::format("{:.{}g}", scaled, digits) + unit.name;
      if (text.find('e') != std::string::npos || parse_quantity(text, dimension) != value) continue;
      if (text.size() < best.size()) best = text;
      break;
    }
  }
  return best;
}

} // namespace gradflight
