#include "models/units/unit_text.hpp"

#include "base/nearest_name.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <span>

namespace gradflight {
namespace {

/// One unit is 10^decimal * factor base units. The power of ten joins the number's own exponent before it is rounded;
/// factors other than powers of two (min, h, d) cost one more rounding.
struct Unit {
  const char* name;
  int decimal;
  double factor;
};

constexpr double Ki = 1024, Mi = Ki * Ki, Gi = Mi * Ki, Ti = Gi * Ki;
constexpr std::array time_units{Unit{"s", 0, 1},    Unit{"ms", -3, 1},  Unit{"us", -6, 1},  Unit{"ns", -9, 1},
                                Unit{"min", 0, 60}, Unit{"h", 0, 3600}, Unit{"d", 0, 86400}};
constexpr std::array byte_units{Unit{"B", 0, 1},    Unit{"KB", 3, 1},   Unit{"MB", 6, 1},
                                Unit{"GB", 9, 1},   Unit{"TB", 12, 1},  Unit{"KiB", 0, Ki},
                                Unit{"MiB", 0, Mi}, Unit{"GiB", 0, Gi}, Unit{"TiB", 0, Ti}};
constexpr std::array rate_units{Unit{"B/s", 0, 1},       Unit{"KB/s", 3, 1},     Unit{"MB/s", 6, 1},
                                Unit{"GB/s", 9, 1},      Unit{"TB/s", 12, 1},    Unit{"KiB/s", 0, Ki},
                                Unit{"MiB/s", 0, Mi},    Unit{"GiB/s", 0, Gi},   Unit{"TiB/s", 0, Ti},
                                Unit{"bit/s", 0, 0.125}, Unit{"Kbps", 3, 0.125}, Unit{"Mbps", 6, 0.125},
                                Unit{"Gbps", 9, 0.125},  Unit{"Tbps", 12, 0.125}};
constexpr std::array flop_units{Unit{"FLOP", 0, 1},  Unit{"KFLOP", 3, 1},  Unit{"MFLOP", 6, 1},
                                Unit{"GFLOP", 9, 1}, Unit{"TFLOP", 12, 1}, Unit{"PFLOP", 15, 1}};
constexpr std::array flop_rate_units{Unit{"FLOP/s", 0, 1},  Unit{"KFLOP/s", 3, 1},  Unit{"MFLOP/s", 6, 1},
                                     Unit{"GFLOP/s", 9, 1}, Unit{"TFLOP/s", 12, 1}, Unit{"PFLOP/s", 15, 1}};
constexpr std::array per_byte_units{Unit{"s/B", 0, 1}, Unit{"ms/B", -3, 1}, Unit{"us/B", -6, 1}, Unit{"ns/B", -9, 1}};

/// What else people write, and which unit it is. A small b is always a bit, a large one a byte.
struct Alias {
  const char *text, *unit;
};
constexpr std::array aliases{
    Alias{"sec", "s"},        Alias{"msec", "ms"},     Alias{"usec", "us"},     Alias{"\xC2\xB5s", "us"},
    Alias{"\xCE\xBCs", "us"}, Alias{"nsec", "ns"},     Alias{"kB", "KB"},       Alias{"kB/s", "KB/s"},
    Alias{"kbps", "Kbps"},    Alias{"mbps", "Mbps"},   Alias{"gbps", "Gbps"},   Alias{"tbps", "Tbps"},
    Alias{"bps", "bit/s"},    Alias{"b/s", "bit/s"},   Alias{"kb/s", "Kbps"},   Alias{"Kb/s", "Kbps"},
    Alias{"Mb/s", "Mbps"},    Alias{"Gb/s", "Gbps"},   Alias{"Tb/s", "Tbps"},   Alias{"kbit/s", "Kbps"},
    Alias{"Kbit/s", "Kbps"},  Alias{"Mbit/s", "Mbps"}, Alias{"Gbit/s", "Gbps"}, Alias{"Tbit/s", "Tbps"},
    Alias{"Gb/sec", "Gbps"},  Alias{"Mb/sec", "Mbps"}, Alias{"Bps", "B/s"},     Alias{"kBps", "KB/s"},
    Alias{"KBps", "KB/s"},    Alias{"MBps", "MB/s"},   Alias{"GBps", "GB/s"},   Alias{"TBps", "TB/s"},
    Alias{"MB/sec", "MB/s"},  Alias{"GB/sec", "GB/s"}, Alias{"MiBps", "MiB/s"}, Alias{"GiBps", "GiB/s"}};

/// The unit's own name where it is an alias.
std::string_view plain_unit(std::string_view text) {
  for (const Alias& alias : aliases)
    if (text == alias.text) return alias.unit;
  return text;
}

/// Units as near as `text` that count the same: bits where it has a small b, bytes where it has a large one.
std::vector<std::string> units_like(std::string_view text, Dimension dimension) {
  const bool bits = text.find('b') != std::string_view::npos, bytes = text.find('B') != std::string_view::npos;
  std::vector<std::string> names = unit_names(dimension);
  std::erase_if(names, [&](const std::string& name) {
    const bool of_bits = name.find('b') != std::string::npos, of_bytes = name.find('B') != std::string::npos;
    return (bits && of_bytes) || (bytes && of_bits);
  });
  return names;
}

std::span<const Unit> units_of(Dimension dimension) {
  switch (dimension) {
  case Dimension::time: return time_units;
  case Dimension::bytes: return byte_units;
  case Dimension::byte_rate: return rate_units;
  case Dimension::flops: return flop_units;
  case Dimension::flop_rate: return flop_rate_units;
  case Dimension::time_per_byte: return per_byte_units;
  }
  throw std::invalid_argument("unknown dimension");
}

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
    // No double reaches 10^100000, whichever way it is written; the sign decides between "too large" and "too small".
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

/// In quotes, the beginning of a long one.
std::string quoted(std::string_view text) {
  constexpr std::size_t shown = 60;
  return text.size() > shown ? fmt::format("\"{}...\"", text.substr(0, shown)) : fmt::format("\"{}\"", text);
}

[[noreturn]] void fail(std::string_view text, Dimension dimension, const std::string& problem) {
  throw UnitError(fmt::format("{} is not a {}: {}{} Write a number and one of {}, such as \"{}\"", quoted(text),
                              dimension_name(dimension), problem, problem.ends_with('?') ? "" : ".", allowed(dimension),
                              example(dimension)));
}

double convert(std::string_view text, const NumberText& number, const Unit& unit, Dimension dimension) {
  const auto decimal = fmt::format("{}e{}", number.mantissa, number.exponent + unit.decimal);
  double value = 0;
  const auto result = std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
  const bool zero = number.mantissa.find_first_not_of("0.") == std::string_view::npos;
  if (zero) return 0;
  if (result.ec != std::errc{}) {
    // from_chars does not say which end of the range was left; the value's own magnitude does.
    auto digits_before = static_cast<int>(std::min(number.mantissa.find('.'), number.mantissa.size()));
    if (number.exponent + unit.decimal + digits_before > 0) fail(text, dimension, "it is too large");
    fail(text, dimension, "it is too small to be told from zero");
  }
  value *= unit.factor;
  if (!std::isfinite(value)) fail(text, dimension, "it is too large");
  if (value == 0) fail(text, dimension, "it is too small to be told from zero");
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

std::vector<std::string> unit_names(Dimension dimension) {
  std::vector<std::string> names;
  for (const auto& unit : units_of(dimension)) names.emplace_back(unit.name);
  return names;
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
  if (text[0] == '+') fail(text, dimension, "a sign has no meaning here");
  const auto number = scan_number(text);
  if (number.length == 0) fail(text, dimension, "it does not begin with a plain number such as 0.5 or 1e-3");
  auto unit_text = text.substr(number.length);
  if (!unit_text.empty() && unit_text[0] == ' ') unit_text.remove_prefix(1);
  if (unit_text.empty()) fail(text, dimension, "it has no unit");
  for (const auto& unit : units_of(dimension))
    if (plain_unit(unit_text) == unit.name) return convert(text, number, unit, dimension);
  const auto near = nearest_name(unit_text, units_like(unit_text, dimension));
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
    const auto scaled = value / unit.factor / std::pow(10.0, unit.decimal);
    if (scaled < 1 || scaled >= 10000) continue;
    // Dividing rounds, so a candidate counts only if it reads back to the same bits.
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
