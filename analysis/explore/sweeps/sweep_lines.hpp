// Columns of a sweep's table as axes, lines and words: what all its charts and tables are made of.
#pragma once

#include "analysis/explore/sweeps/sweep_axes.hpp"
#include "analysis/run/pages/page.hpp"
#include "analysis/run/pages/plot.hpp"

#include <functional>

namespace gradflight {

/// One, or several beside each other.
using Plots = std::vector<TitledPlot>;

/// The different values of a column, in order of appearance.
std::vector<std::string> categories_of(const SweepTable& table, std::size_t column);
/// What a column's numbers are, by its name.
PlotUnit unit_of(const std::string& name);
/// The value of a row in a column, as a legend says it.
std::string shown(const SweepTable& table, std::size_t row, std::size_t column);
/// "nodes = 8, bytes = 64 MB"
std::string setting(const SweepTable& table, std::size_t row, const std::vector<std::size_t>& columns);

/// What an axis's values are, by its name and size: bytes, rates, seconds, counts, or categories where they are texts.
PlotAxis drawn_axis(const SweepTable& table, std::size_t column);
/// Where a row lies on such an axis; nothing where it has no value.
std::optional<double> drawn_value(const SweepTable& table, std::size_t row, std::size_t column);

/// Axes but one: the first tells lines apart by colour, the others make plots of their own.
struct Layout {
  std::optional<std::size_t> color;
  std::vector<std::size_t> facets;
};
Layout layout_of(const SweepAxes& axes, std::size_t column);

/// As many as a page shows; smaller where there are several.
Plots few(Plots plots);

/// A plot for each setting of the facets' axes, in each a line for each value of the colour's axis.
/// `value`: what is drawn of a point; nothing: it is left out.
Plots lines_over(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column, const Layout& layout,
                 const PlotAxis& y, const std::function<std::optional<double>(const AnalysedPoint&)>& value);

} // namespace gradflight
