// A chart as static SVG: axes with units in their ticks; lines and points with different colours and shapes. It needs
// no script, uses the page's colour scheme, and has a wide and a narrow version for different screens.
#pragma once

#include "analysis/run/pages/palette.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

enum class PlotUnit { number, seconds, bytes, rate, percent };

struct PlotAxis {
  std::string title{};
  /// Rate: bytes per second, shown as bit/s; percent: fractions, 0.5 is shown as 50 %.
  PlotUnit unit = PlotUnit::number;
  bool logarithmic = false; ///< all values must be above 0
  bool counts = false;    ///< counts, such as nodes: ticks are the occurring values, or powers of two if all values are
  bool from_zero = false; ///< the axis includes 0 (linear axes)
  /// Least length of the axis, so that rounding errors do not look like differences (linear axes).
  double least_span = 0;
  std::vector<std::string> categories{}; ///< if not empty: values 0, 1, ... are indices of these
  std::optional<double> low{}, high{};   ///< limits of the axis; values beyond are drawn at its ends
};

struct PlotPoint {
  double x = 0, y = 0;
  std::string title{}; ///< tooltip
};

struct PlotSeries {
  std::string name{};
  Ink ink = Ink::series0;
  int shape = 0; ///< circle, square, triangle, diamond, cross, ring, ...
  bool points = true, line = false, dashed = false, steps = false;
  std::vector<PlotPoint> at{};
};

/// A horizontal line with a label.
struct PlotLevel {
  double y = 0;
  std::string text{};
};

struct Plot {
  PlotAxis x{}, y{};
  std::vector<PlotSeries> series{};
  std::vector<PlotLevel> levels{};
  bool diagonal = false;        ///< a line at x = y
  std::optional<double> band{}; ///< around the diagonal, or around levels.front(): fraction to each side
  int height = 320;             ///< pixels
};

/// Returns the two drawings (of classes "wide" and "narrow"), after a legend if there are several names. Returns an
/// empty string without points. `label` describes the plot for readers who cannot see it.
std::string plot_markup(const Plot& plot, const std::string& label);

/// Plots side by side, as many as fit on the screen, below one legend; each has a title.
struct TitledPlot {
  std::string title;
  Plot plot;
};
std::string multiples_markup(const std::vector<TitledPlot>& plots);

/// Horizontal bars of parts, one row per name: they show the composition of each row's length.
struct PartBars {
  struct Piece {
    std::string name;
    Ink ink = Ink::series0;
    double length = 0;
  };
  struct Row {
    std::string name;
    std::vector<Piece> pieces;
    std::string note{}; ///< text after the bar
  };
  PlotUnit unit = PlotUnit::seconds;
  std::vector<Row> rows;
};
std::string bars_markup(const PartBars& bars, const std::string& label);

/// Returns a value in the unit of its axis: "150 ms", "64 MB", "10 Gbps", "+3 %".
std::string plot_value(double value, PlotUnit unit);
/// Returns about `most` ticks of an axis from `low` to `high`: multiples of 1, 2 or 5 times a power of ten. Logarithmic
/// axes have powers of ten, with 2 and 5 between if there is space.
std::vector<double> plot_ticks(double low, double high, bool logarithmic, int most);

// Building blocks of other drawings.
inline constexpr int wide_drawing = 960, narrow_drawing = 360; ///< width in units of the coordinates, usually pixels
/// Returns an upper limit of the width of a text with height 12 units.
double drawn_width(const std::string& text);
/// Returns the text, shortened with an ellipsis if it does not fit.
std::string fitted_text(const std::string& text, double width);
std::string svg_opening(int width, int height, const std::string& label);
std::string svg_text(double x, double y, const std::string& text, const char* anchor = "start",
                     const char* classes = "");
/// Names with their colours and shapes, above a drawing.
struct LegendEntry {
  std::string name;
  Ink ink;
  int shape = -1; ///< -1: a filled square, for a bar
  bool line = false, dashed = false;
};
std::string legend_markup(const std::vector<LegendEntry>& entries);

} // namespace gradflight
