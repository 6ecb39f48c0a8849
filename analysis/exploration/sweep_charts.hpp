// The charts of a sweep's analysis, as Vega-Lite reads them.
#pragma once

#include "analysis/exploration/sweep_page.hpp"
#include "analysis/pages/charts.hpp"

namespace gradflight {

/// Axes that take more than one value, as columns; of the numeric ones first that with most values.
struct SweepAxes {
  std::vector<std::size_t> numeric, nominal;
};
SweepAxes axes_of(const SweepTable& table);

/// What the speedup is drawn over: the baseline's axis, or the main one where that has no scale. A column.
std::size_t speedup_axis(const SweepTable& table, const BaselineChoice& choice, const SweepAxes& axes);

/// A number, or the text.
ChartJson chart_value(const Cell& cell);

/// The data set "points": c0, c1, ... are the table's columns (their names have dots, which Vega takes apart).
ChartJson point_rows(const SweepTable& table, const SweepAnalysis& analysis, const AnalysisView& view,
                     const SweepAxes& axes);

/// Both times of a point against each other: on the line the form is right.
ChartJson scatter(const SweepAnalysis& analysis);
ChartJson error_over(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column, const SweepAxes& axes);
/// Simulated times as points and closed forms as lines, a line for each setting of the other axes.
ChartJson times_over(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column, const SweepAxes& axes);
ChartJson pareto_chart(const SweepTable& table, const ParetoChoice& choice);
ChartJson speedup_chart(const SweepTable& table, const SweepAnalysis& analysis, const BaselineChoice& choice,
                        const SweepAxes& axes);

} // namespace gradflight
