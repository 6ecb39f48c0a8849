// Building blocks of drawings.
#include "analysis/run/pages/markup.hpp"
#include "analysis/run/pages/plot.hpp"
#include "analysis/run/pages/plot_shapes.hpp"

#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace gradflight {

double drawn_width(const std::string& text) {
  constexpr double size = 12;
  double width = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue; // inside a character
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    if (!ascii || std::string_view("mwMW%@").find(c) != std::string_view::npos)
      width += 0.98;
    else if (std::string_view("iljtfr.,:;'|!()[] -").find(c) != std::string_view::npos)
      width += 0.42;
    else
      width += c >= 'A' && c <= 'Z' ? 0.74 : 0.62;
  }
  return width * size;
}

std::string fitted_text(const std::string& text, double width) {
  if (drawn_width(text) <= width) return text;
  std::string kept = text;
  while (!kept.empty() && drawn_width(kept) + 12 > width) {
    while (kept.size() > 1 && (static_cast<unsigned char>(kept.back()) & 0xC0U) == 0x80U) kept.pop_back();
    kept.pop_back();
  }
  return kept.empty() ? kept : kept + "\u2026";
}

std::string svg_opening(int width, int height, const std::string& label) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" class=\"{}\" role=\"img\"{}>", width, height,
                     width == narrow_drawing ? "narrow" : "wide", markup_attribute("aria-label", label));
}

std::string svg_text(double x, double y, const std::string& text, const char* anchor, const char* classes) {
  const std::string named = *classes == 0 ? "" : fmt::format(" class=\"{}\"", classes);
  const std::string anchored = std::string_view(anchor) == "start" ? "" : fmt::format(" text-anchor=\"{}\"", anchor);
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>", x, y, anchored, named, markup_text(text));
}

std::string shape_path(int shape, double x, double y, double r) {
  switch (shape % marker_shapes) {
  case 1: return fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", x - r, y - r, 2 * r, 2 * r, 2 * r);
  case 2: return fmt::format("M{:.1f} {:.1f}l{:.1f} {:.1f}h-{:.1f}z", x, y - 1.2 * r, 1.2 * r, 2.1 * r, 2.4 * r);
  case 3:
    return fmt::format("M{0:.1f} {1:.1f}l{2:.1f} {2:.1f}l-{2:.1f} {2:.1f}l-{2:.1f} -{2:.1f}z", x, y - 1.3 * r, 1.3 * r);
  case 4: return fmt::format("M{:.1f} {:.1f}l{:.1f} -{:.1f}h-{:.1f}z", x, y + 1.2 * r, 1.2 * r, 2.1 * r, 2.4 * r);
  case 5: return fmt::format("M{0:.1f} {1:.1f}h{2:.1f}v{3:.1f}h-{2:.1f}z", x - 0.6 * r, y - 1.5 * r, 1.2 * r, 3 * r);
  case 6: return fmt::format("M{0:.1f} {1:.1f}h{2:.1f}v{3:.1f}h-{2:.1f}z", x - 1.5 * r, y - 0.6 * r, 3 * r, 1.2 * r);
  default:
    return fmt::format("M{0:.1f} {1:.1f}a{2:.1f} {2:.1f} 0 1 0 {3:.1f} 0a{2:.1f} {2:.1f} 0 1 0 -{3:.1f} 0z", x - r, y,
                       r, 2 * r);
  }
}

std::string legend_markup(const std::vector<LegendEntry>& entries) {
  std::string out = "<ul class=\"legend\">";
  for (const LegendEntry& entry : entries) {
    out += "<li><svg width=\"22\" height=\"12\" viewBox=\"0 0 22 12\" aria-hidden=\"true\">";
    const std::string ink = ink_css(entry.ink);
    if (entry.line)
      out += fmt::format("<path d=\"M0 6h22\" style=\"stroke: {}\" stroke-width=\"2\"{}/>", ink,
                         entry.dashed ? " stroke-dasharray=\"4 3\"" : "");
    if (entry.shape >= 0)
      out += fmt::format("<path d=\"{}\" style=\"fill: {}\"/>", shape_path(entry.shape, 11, 6, 4), ink);
    else if (!entry.line)
      out += fmt::format("<rect x=\"4\" width=\"14\" height=\"12\" style=\"fill: {}\"/>", ink);
    out += "</svg>" + markup_text(entry.name) + "</li>";
  }
  return out + "</ul>\n";
}

} // namespace gradflight
