// The charts of a sweep's analysis: common questions first, then times and scaling.
#pragma once

#include "analysis/explore/sweeps/sweep_lines.hpp"

namespace gradflight {

Plots times_drawing(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column, const SweepAxes& axes);
/// Each line's time at its least value over its time: 1 is perfect scaling if the work per rank stays the same.
Plots efficiency_drawing(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column,
                         const SweepAxes& axes);
/// For each setting of all other axes: the fastest value of a nominal axis, and by how much.
PageTable best_variants(const SweepTable& table, const SweepAnalysis& analysis, std::size_t variant,
                        const SweepAxes& axes);

Plots form_drawing(const SweepAnalysis& analysis, const SweepTable& table);
Plots error_drawing(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column);
Plots pareto_drawing(const SweepTable& table, const ParetoChoice& choice);
/// The points of the fronts, with both quantities in units.
PageTable pareto_table(const SweepTable& table, const ParetoChoice& choice);
Plots speedup_drawing(const SweepTable& table, const BaselineChoice& choice, const SweepAxes& axes);

} // namespace gradflight
