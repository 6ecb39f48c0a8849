// The colours of all pages, with their meanings, in both colour schemes. Pages use names of roles instead of colours.
#pragma once

#include <array>
#include <string>

namespace gradflight {

/// The role of a colour. series0 and so on only distinguish variants; parts have their own hues.
enum class Ink {
  page, ///< the background
  text,
  muted, ///< secondary text, and values for comparison only
  line,  ///< rules and grids
  panel, ///< background of notes and code
  series0,
  series1,
  series2,
  series3,
  series4,
  series5,
  series6,
  series7,
  good,
  bad
};

struct InkColor {
  Ink ink;
  const char *name, *light, *dark; ///< CSS variable (without "--"), then "#rrggbb" for each scheme
};

inline constexpr int series_inks = 8;
inline constexpr std::array<InkColor, 15> inks = {{{Ink::page, "page", "#ffffff", "#0d1117"},
                                                   {Ink::text, "text", "#1b1f24", "#e6edf3"},
                                                   {Ink::muted, "muted", "#57606a", "#9198a1"},
                                                   {Ink::line, "line", "#d0d7de", "#30363d"},
                                                   {Ink::panel, "panel", "#f3f5f8", "#161b22"},
                                                   {Ink::series0, "s0", "#0b62c4", "#58a6ff"},
                                                   {Ink::series1, "s1", "#bc4c00", "#f0883e"},
                                                   {Ink::series2, "s2", "#1a7f37", "#3fb950"},
                                                   {Ink::series3, "s3", "#8250df", "#bc8cff"},
                                                   {Ink::series4, "s4", "#0f7b8a", "#39c5cf"},
                                                   {Ink::series5, "s5", "#bf3989", "#f778ba"},
                                                   {Ink::series6, "s6", "#7d5a1e", "#d4a72c"},
                                                   {Ink::series7, "s7", "#6e7781", "#8b949e"},
                                                   {Ink::good, "good", "#1a7f37", "#3fb950"},
                                                   {Ink::bad, "bad", "#cf222e", "#ff7b72"}}};

constexpr Ink series_ink(int i) { return static_cast<Ink>(static_cast<int>(Ink::series0) + i % series_inks); }

/// Returns "var(--s0)", a value for the attribute `style`.
std::string ink_css(Ink ink);
/// Returns ":root { --page: #ffffff; ... }", and the dark scheme for dark screens.
std::string palette_css();

} // namespace gradflight
