#include "analysis/run/pages/palette.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace gradflight {
namespace {

double luminance(const char* color) {
  const auto channel = [&](int from) {
    const std::string digits(color + from, 2);
    const double c = static_cast<double>(std::strtol(digits.c_str(), nullptr, 16)) / 255;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

} // namespace

std::string ink_css(Ink ink) { return fmt::format("var(--{})", inks[static_cast<std::size_t>(ink)].name); }

std::string palette_css() {
  std::string light, dark;
  for (const InkColor& color : inks) {
    light += fmt::format(" --{}: {};", color.name, color.light);
    dark += fmt::format(" --{}: {};", color.name, color.dark);
  }
  return fmt::format(":root {{ color-scheme: light dark;{} }}\n"
                     "@media screen and (prefers-color-scheme: dark) {{ :root {{{} }} }}\n",
                     light, dark);
}

double contrast(const char* one, const char* other) {
  const auto [low, high] = std::minmax(luminance(one), luminance(other));
  return (high + 0.05) / (low + 0.05);
}

} // namespace gradflight
