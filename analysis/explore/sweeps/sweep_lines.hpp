// Columns of a sweep's table as axes, lines and words; all its charts and tables use these.
#pragma once

#include "analysis/explore/sweeps/sweep_axes.hpp"
#include "analysis/run/pages/page.hpp"
#include "analysis/run/pages/plot.hpp"

#include <functional>

namespace gradflight {

/// One chart, or several side by side.
using Plots = std::vector<TitledPlot>;

/// The different values of a column, in order of appearance.
std::vector<std::string> categories_of(const SweepTable& table, std::size_t column);
/// Returns the unit of a column's numbers, by its name.
PlotUnit unit_of(const std::string& name);
/// Returns the value of a row in a column, as shown in a legend.
std::string cell_text(const SweepTable& table, std::size_t row, std::size_t column);
/// "nodes = 8, bytes = 64 MB"
std::string setting(const SweepTable& table, std::size_t row, const std::vector<std::size_t>& columns);

/// Returns the kind of an axis by its name and size: bytes, rates, seconds, counts, or categories for texts.
PlotAxis drawn_axis(const SweepTable& table, std::size_t column);
/// Returns the position of a row on that axis; nothing if it has no value.
std::optional<double> drawn_value(const SweepTable& table, std::size_t row, std::size_t column);

/// All axes but one: the first distinguishes lines by colour, the others make separate plots.
struct Layout {
  std::optional<std::size_t> color;
  std::vector<std::size_t> facets;
};
Layout layout_of(const SweepAxes& axes, std::size_t column);

/// Limits the plots to the number on a page; makes them smaller if there are several.
Plots few(Plots plots);

/// Returns a plot for each setting of the facets' axes, with a line for each value of the colour's axis. `value`: the
/// value to draw for a point; nothing: omits the point.
Plots lines_over(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column, const Layout& layout,
                 const PlotAxis& y, const std::function<std::optional<double>(const AnalysedPoint&)>& value);

} // namespace gradflight
