// A chart as static SVG, drawn from numbers: axes with units in their ticks, lines and points told apart by colour and
// shape. It needs no script, follows the page's scheme, and is drawn for a wide and for a narrow screen.
#pragma once

#include "analysis/run/pages/palette.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

enum class PlotUnit { number, seconds, bytes, rate, percent };

struct PlotAxis {
  std::string title{};
  PlotUnit unit = PlotUnit::number; ///< rate: bytes per second, shown as bit/s; percent: of fractions, 0.5 is 50 %
  bool logarithmic = false;         ///< all values above 0
  bool counts = false;              ///< of nodes, say: ticks are the values that occur, powers of two where those do
  bool from_zero = false;           ///< 0 is on it, however far from the values (linear ones)
  double least_span = 0;            ///< as far as it reaches at least: rounding noise is no landscape (linear ones)
  std::vector<std::string> categories{}; ///< not empty: values are 0, 1, ...: the numbers of these
  std::optional<double> low{}, high{};   ///< held to these; what is beyond is at their ends
};

struct PlotPoint {
  double x = 0, y = 0;
  std::string title{}; ///< shown where the pointer rests
};

struct PlotSeries {
  std::string name{};
  Ink ink = Ink::series0;
  int shape = 0; ///< circle, square, triangle, diamond, cross, ring, ...
  bool points = true, line = false, dashed = false, steps = false;
  std::vector<PlotPoint> at{};
};

/// A horizontal line with a word on it.
struct PlotLevel {
  double y = 0;
  std::string text{};
};

struct Plot {
  PlotAxis x{}, y{};
  std::vector<PlotSeries> series{};
  std::vector<PlotLevel> levels{};
  bool diagonal = false;        ///< where x = y
  std::optional<double> band{}; ///< around the diagonal, or around levels.front(): fraction to either side
  int height = 320;             ///< pixels
};

/// The two drawings (of classes "wide" and "narrow"), behind a legend where there are several names. Empty for no
/// points. `label`: what it shows, for those who cannot see it.
std::string plot_markup(const Plot& plot, const std::string& label);

/// Plots beside each other, as many as the screen has room for, below one legend; each with a title.
struct TitledPlot {
  std::string title;
  Plot plot;
};
std::string multiples_markup(const std::vector<TitledPlot>& plots);

/// Horizontal bars of parts, a row for each name: what the rows' lengths are made of.
struct PartBars {
  struct Piece {
    std::string name;
    Ink ink = Ink::series0;
    double length = 0;
  };
  struct Row {
    std::string name;
    std::vector<Piece> pieces;
    std::string note{}; ///< behind the bar
  };
  PlotUnit unit = PlotUnit::seconds;
  std::vector<Row> rows;
};
std::string bars_markup(const PartBars& bars, const std::string& label);

/// A value as its axis says it: "150 ms", "64 MB", "10 Gbps", "+3 %"; `step`: of neighbouring ticks, in the same unit.
std::string plot_value(double value, PlotUnit unit);
/// Of an axis from `low` to `high`, about `most` of them: multiples of 1, 2 or 5 times a power of ten; on logarithmic
/// axes powers of ten with 2 and 5 between where there is room.
std::vector<double> plot_ticks(double low, double high, bool logarithmic, int most);

// Pieces that other drawings are made of.
inline constexpr int wide_drawing = 960, narrow_drawing = 360; ///< units of their coordinates, pixels as a rule
/// What a text of 12 units is wide at most.
double drawn_width(const std::string& text);
/// Shortened to fit, with an ellipsis.
std::string fitted_text(const std::string& text, double width);
std::string svg_opening(int width, int height, const std::string& label);
std::string svg_text(double x, double y, const std::string& text, const char* anchor = "start",
                     const char* classes = "");
/// Names with their colours and shapes, above a drawing.
struct LegendEntry {
  std::string name;
  Ink ink;
  int shape = -1; ///< -1: a filled square of a bar
  bool line = false, dashed = false;
};
std::string legend_markup(const std::vector<LegendEntry>& entries);

} // namespace gradflight
