#include "analysis/run/pages/plot.hpp"

#include "analysis/run/pages/markup.hpp"
#include "analysis/run/pages/plot_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace gradflight {
namespace {

constexpr double font = 12, gap = 6, widest_label = 130;

/// Maps values of an axis to fractions of its length, and determines its ticks.
class Scale {
public:
  Scale(const PlotAxis& axis, const std::vector<double>& values) : axis_(axis) {
    if (!axis.categories.empty()) {
      low_ = -0.5;
      high_ = static_cast<double>(axis.categories.size()) - 0.5;
      return;
    }
    const auto [least, most] = std::ranges::minmax(values);
    low_ = axis.low.value_or(least);
    high_ = axis.high.value_or(most);
    if (axis_.logarithmic && !(low_ > 0)) axis_.logarithmic = false;
    if (axis_.logarithmic) {
      if (!(high_ > low_)) {
        high_ = low_ * 2;
        low_ /= 2;
      }
      const double room = std::pow(high_ / low_, 0.04);
      if (!axis.low) low_ /= room;
      if (!axis.high) high_ *= room;
    } else {
      if (axis.from_zero) {
        low_ = std::min(low_, 0.0);
        high_ = std::max(high_, 0.0);
      }
      // Values that differ only by rounding errors are drawn on one line.
      const double span = std::max({axis.least_span, 1e-6 * std::max(std::abs(low_), std::abs(high_)), 1e-300});
      if (high_ - low_ < span) {
        const double middle = (low_ + high_) / 2;
        low_ = axis.from_zero && low_ == 0 ? 0 : middle - span / 2;
        high_ = low_ + span;
      }
      const double room = 0.05 * (high_ - low_);
      if (!axis.low && !(axis.from_zero && low_ == 0)) low_ -= room;
      if (!axis.high && !(axis.from_zero && high_ == 0)) high_ += room;
    }
    if (axis.counts) {
      ticks_ = values;
      std::ranges::sort(ticks_);
      ticks_.erase(std::unique(ticks_.begin(), ticks_.end()), ticks_.end());
    }
  }

  [[nodiscard]] double at(double value) const {
    const double held = std::clamp(value, low_, high_);
    return axis_.logarithmic ? std::log(held / low_) / std::log(high_ / low_) : (held - low_) / (high_ - low_);
  }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] const PlotAxis& axis() const { return axis_; }

  [[nodiscard]] std::vector<double> ticks(int most) const {
    if (!axis_.categories.empty()) {
      std::vector<double> all;
      for (std::size_t i = 0; i < axis_.categories.size(); ++i) all.push_back(static_cast<double>(i));
      return all;
    }
    if (!ticks_.empty()) return ticks_;
    // Gives round numbers in the displayed unit, bits per second.
    const double shown = axis_.unit == PlotUnit::rate ? 8 : 1;
    auto ticks = plot_ticks(shown * low_, shown * high_, axis_.logarithmic, most);
    for (double& tick : ticks) tick /= shown;
    return ticks;
  }
  [[nodiscard]] std::string label(double tick) const {
    return axis_.categories.empty() ? plot_value(tick, axis_.unit) : axis_.categories[static_cast<std::size_t>(tick)];
  }

private:
  PlotAxis axis_;
  double low_ = 0, high_ = 1;
  std::vector<double> ticks_;
};

class Drawing {
public:
  Drawing(const Plot& plot, const Scale& x, const Scale& y, int width) : plot_(plot), x_(x), y_(y), width_(width) {
    y_ticks_ = y.ticks(std::max(2, plot.height / 45));
    double labels = 0;
    for (const double tick : y_ticks_) labels = std::max(labels, drawn_width(y.label(tick)));
    left_ = std::min(labels, widest_label) + 2 * gap;
    right_ = width - 14;
    top_ = 2 * font + gap;
    const double slot =
        x.axis().categories.empty() ? 0 : (right_ - left_) / static_cast<double>(x.axis().categories.size());
    double longest = 0;
    for (const std::string& name : x.axis().categories) longest = std::max(longest, drawn_width(name));
    upright_ = slot > 0 && longest > slot - 4;
    const double labels_below = upright_ ? std::min(longest, widest_label) + gap : font + gap;
    bottom_ = top_ + plot.height;
    height_ = static_cast<int>(std::ceil(bottom_ + labels_below + font + 2 * gap));
  }

  std::string markup(const std::string& label) {
    out_ = svg_opening(width_, height_, label);
    put_grid();
    put_reference();
    for (const PlotSeries& series : plot_.series) put(series);
    return out_ + "</svg>";
  }

private:
  [[nodiscard]] double px(double value) const { return left_ + x_.at(value) * (right_ - left_); }
  [[nodiscard]] double py(double value) const { return bottom_ - y_.at(value) * (bottom_ - top_); }

  void put_grid() {
    for (const double tick : y_ticks_) {
      out_ += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}H{:.1f}"/>)", left_, py(tick), right_);
      out_ += svg_text(left_ - gap, py(tick) + 4, fitted_text(y_.label(tick), widest_label), "end", "tick");
    }
    double taken = -1e9;
    const bool named = !x_.axis().categories.empty();
    for (const double tick : x_.ticks(std::max(2, (width_ - 60) / 75))) {
      const std::string text = x_.label(tick);
      if (upright_) {
        out_ += fmt::format(
            R"t(<text class="tick" text-anchor="end" transform="translate({:.1f} {:.1f}) rotate(-90)">{}</text>)t",
            px(tick) + 4, bottom_ + gap, markup_text(fitted_text(text, widest_label)));
        continue;
      }
      const double half = drawn_width(text) / 2;
      // Keep the text inside the drawing, and away from its neighbour.
      const double at = std::clamp(px(tick), half + 1, width_ - half - 1);
      if (at - half < taken + gap) continue;
      taken = at + half;
      if (!named) out_ += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}V{:.1f}"/>)", px(tick), top_, bottom_ + 4);
      out_ += svg_text(at, bottom_ + font + gap, text, "middle", "tick");
    }
    out_ += svg_text(2, font, fitted_text(plot_.y.title, width_ - 4.0), "start", "axis");
    out_ += svg_text((left_ + right_) / 2, height_ - gap, fitted_text(plot_.x.title, right_ - left_), "middle", "axis");
  }

  void put_band(double x0, double low0, double high0, double x1, double low1, double high1) {
    out_ += fmt::format(R"(<path class="band" d="M{0:.1f} {1:.1f}L{2:.1f} {3:.1f}L{2:.1f} {4:.1f}L{0:.1f} {5:.1f}z"/>)",
                        px(x0), py(low0), px(x1), py(low1), py(high1), py(high0));
  }

  void put_reference() {
    const double low = std::max(x_.low(), y_.low()), high = std::min(x_.high(), y_.high());
    if (plot_.diagonal && low < high) {
      if (plot_.band)
        put_band(low, low * (1 - *plot_.band), low * (1 + *plot_.band), high, high * (1 - *plot_.band),
                 high * (1 + *plot_.band));
      out_ += fmt::format(R"(<path class="reference" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/>)", px(low), py(low), px(high),
                          py(high));
    }
    for (const PlotLevel& level : plot_.levels) {
      if (plot_.band && !plot_.diagonal && &level == &plot_.levels.front())
        put_band(x_.low(), level.y - *plot_.band, level.y + *plot_.band, x_.high(), level.y - *plot_.band,
                 level.y + *plot_.band);
      out_ += fmt::format(R"(<path class="reference" d="M{:.1f} {:.1f}H{:.1f}"/>)", left_, py(level.y), right_);
      if (!level.text.empty())
        out_ += svg_text(right_ - 2, py(level.y) - 4, fitted_text(level.text, right_ - left_), "end", "tick");
    }
  }

  void put(const PlotSeries& series) {
    const std::string ink = ink_css(series.ink);
    if (series.line && series.at.size() > 1) {
      std::string d;
      for (const PlotPoint& p : series.at) {
        if (series.steps && !d.empty()) d += fmt::format("H{:.1f}", px(p.x));
        d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", px(p.x), py(p.y));
      }
      out_ += fmt::format(R"(<path class="curve" style="stroke: {}"{} d="{}"/>)", ink,
                          series.dashed ? R"( stroke-dasharray="5 4")" : "", d);
    }
    if (!series.points && !(series.line && series.at.size() == 1)) return;
    out_ += fmt::format(R"(<g class="dots" style="fill: {}">)", ink);
    const double radius = series.at.size() > 400 ? 2 : 3.6;
    for (const PlotPoint& p : series.at) {
      const std::string d = shape_path(series.shape, px(p.x), py(p.y), radius);
      // Narrow screens are mostly touch screens, without tooltips.
      if (p.title.empty() || width_ == narrow_drawing)
        out_ += fmt::format("<path d=\"{}\"/>", d);
      else
        out_ += fmt::format("<path d=\"{}\"><title>{}</title></path>", d, markup_text(p.title));
    }
    out_ += "</g>";
  }

  const Plot& plot_;
  const Scale &x_, &y_;
  int width_, height_ = 0;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
  bool upright_ = false;
  std::vector<double> y_ticks_;
  std::string out_;
};

} // namespace

namespace {

struct Values {
  std::vector<double> x, y;
};

Values values_of(const Plot& plot) {
  Values values;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& p : series.at) {
      values.x.push_back(p.x);
      values.y.push_back(p.y);
    }
  if (!values.y.empty())
    for (const PlotLevel& level : plot.levels) values.y.push_back(level.y);
  return values;
}

void add_names(std::vector<LegendEntry>& names, const Plot& plot) {
  for (const PlotSeries& s : plot.series)
    if (!s.name.empty() && !s.at.empty() && std::ranges::find(names, s.name, &LegendEntry::name) == names.end())
      names.push_back({s.name, s.ink, s.points ? s.shape : -1, s.line, s.dashed});
}

} // namespace

std::string plot_markup(const Plot& plot, const std::string& label) {
  const Values values = values_of(plot);
  if (values.x.empty()) return {};
  const Scale x(plot.x, values.x), y(plot.y, values.y);
  std::vector<LegendEntry> names;
  add_names(names, plot);
  std::string out = names.size() > 1 ? legend_markup(names) : "";
  for (const int width : {wide_drawing, narrow_drawing}) out += Drawing(plot, x, y, width).markup(label) + "\n";
  return out;
}

std::string multiples_markup(const std::vector<TitledPlot>& plots) {
  std::vector<LegendEntry> names;
  for (const TitledPlot& each : plots) add_names(names, each.plot);
  std::string out = (names.size() > 1 ? legend_markup(names) : "") + "<div class=\"multiples\">\n";
  for (const TitledPlot& each : plots) {
    const Values values = values_of(each.plot);
    if (values.x.empty()) continue;
    const Scale x(each.plot.x, values.x), y(each.plot.y, values.y);
    out += fmt::format("<div><p>{}</p>{}</div>\n", markup_text(each.title),
                       Drawing(each.plot, x, y, narrow_drawing).markup(each.title));
  }
  return out + "</div>\n";
}

std::string bars_markup(const PartBars& bars, const std::string& label) {
  double longest = 0;
  for (const auto& row : bars.rows) {
    double length = 0;
    for (const auto& piece : row.pieces) length += piece.length;
    longest = std::max(longest, length);
  }
  if (!(longest > 0)) return {};
  std::vector<LegendEntry> names;
  for (const auto& row : bars.rows)
    for (const auto& piece : row.pieces)
      if (piece.length > 0 && std::ranges::none_of(names, [&](const auto& n) { return n.name == piece.name; }))
        names.push_back({piece.name, piece.ink});
  std::string out = legend_markup(names);
  for (const int width : {wide_drawing, narrow_drawing}) {
    const double row_height = 40, bar = 16;
    out += svg_opening(width, static_cast<int>(row_height * static_cast<double>(bars.rows.size())), label);
    double top = 0;
    for (const auto& row : bars.rows) {
      const double note = drawn_width(row.note);
      out += svg_text(0, top + font, fitted_text(row.name, width - note - 2 * gap));
      out += svg_text(width - 1, top + font, row.note, "end", "tick");
      double at = 0;
      for (const auto& piece : row.pieces) {
        if (!(piece.length > 0)) continue;
        const double w = piece.length / longest * width;
        out += fmt::format(
            R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}" style="fill: {}"><title>{}: {}</title></rect>)",
            at, top + font + gap, w, bar, ink_css(piece.ink), markup_text(piece.name),
            markup_text(plot_value(piece.length, bars.unit)));
        at += w;
      }
      top += row_height;
    }
    out += "</svg>\n";
  }
  return out;
}

} // namespace gradflight
