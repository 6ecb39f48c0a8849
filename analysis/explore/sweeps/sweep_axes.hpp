// The axes of a sweep's table, as charts and tables use them.
#pragma once

#include "analysis/explore/sweeps/sweep_page.hpp"

namespace gradflight {

/// Axes with more than one value, as columns; among numeric ones, that with the most values comes first.
struct SweepAxes {
  std::vector<std::size_t> numeric, nominal;
};
SweepAxes axes_of(const SweepTable& table);

/// The axis of a speedup chart: the baseline's, or the main one if that has no scale. Returns a column.
std::size_t speedup_axis(const SweepTable& table, const BaselineChoice& choice, const SweepAxes& axes);

} // namespace gradflight
