#include "base/human.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

namespace gradflight {
namespace {

struct Scale {
  double factor;
  std::string_view unit;
};

/// Formats six significant digits in the largest unit that gives a number of at least 1. Smaller values use the
/// smallest unit.
template <std::size_t n> std::string scaled(double value, const std::array<Scale, n>& scales, std::string_view zero) {
  if (value == 0) return std::string(zero);
  const double size = std::abs(value);
  for (const Scale& s : scales)
    if (size >= s.factor * (1 - 5e-7)) return fmt::format("{:.6g} {}", value / s.factor, s.unit);
  return fmt::format("{:.6g} {}", value / scales.back().factor, scales.back().unit);
}

} // namespace

std::string human_seconds(double seconds) {
  if (seconds != 0 && std::abs(seconds) < 1e-12)
    return fmt::format("{:.1e} s", seconds); // a rounding error, not a time
  return scaled(seconds, std::array<Scale, 4>{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}}, "0 s");
}

std::string signed_seconds(double seconds) { return (seconds < 0 ? "-" : "+") + human_seconds(std::abs(seconds)); }

std::string human_span(double seconds) {
  constexpr double hour = 3600, day = 24 * hour;
  if (std::abs(seconds) >= 2 * day) return fmt::format("{:.4g} days", seconds / day);
  if (std::abs(seconds) >= 2 * hour) return fmt::format("{:.4g} h", seconds / hour);
  return human_seconds(seconds);
}

std::string human_bytes(double bytes) {
  return scaled(
      bytes,
      std::array<Scale, 7>{{{1e18, "EB"}, {1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1, "B"}}},
      "0 B");
}

std::string human_rate(double bytes_per_second) {
  constexpr double bit = 0.125; // of a byte; the largest rates have no finite number of bits
  return scaled(
      bytes_per_second,
      std::array<Scale, 5>{
          {{1e12 * bit, "Tbps"}, {1e9 * bit, "Gbps"}, {1e6 * bit, "Mbps"}, {1e3 * bit, "Kbps"}, {bit, "bit/s"}}},
      "0 bit/s");
}

std::string human_byte_rate(double bytes_per_second) { return human_bytes(bytes_per_second) + "/s"; }

std::string human_count(double count) {
  if (std::abs(count) < 1e6) return fmt::format("{:.10g}", count);
  return scaled(count, std::array<Scale, 4>{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}}, "0");
}

std::string human_percent(double fraction) {
  const double percent = fraction * 100;
  if (percent == 0) return "0 %";
  if (std::abs(percent) < 0.05) return percent > 0 ? "<0.1 %" : ">-0.1 %";
  return fmt::format("{:.1f} %", percent);
}

std::string human_error(double relative) {
  if (relative == 0) return "0";
  if (std::abs(relative) >= 1e-3) return fmt::format("{:+.3g} %", relative * 100);
  return fmt::format("{:+.1e}", relative);
}

double rounded_to(double value, int digits) {
  return std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

std::string counted(std::int64_t n, const std::string& noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string tallied(const std::string& what, const std::vector<std::pair<std::string, std::size_t>>& counts) {
  std::string text = what;
  const char* separator = ": ";
  for (const auto& [name, count] : counts) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", separator, count, name);
    separator = ", ";
  }
  return text;
}

} // namespace gradflight
