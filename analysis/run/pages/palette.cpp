#include "analysis/run/pages/palette.hpp"

#include <fmt/format.h>

namespace gradflight {

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

} // namespace gradflight
