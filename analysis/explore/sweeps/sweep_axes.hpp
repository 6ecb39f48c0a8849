// The axes of a sweep's table, as charts and tables use them.
#pragma once

#include "analysis/explore/sweeps/sweep_page.hpp"

namespace gradflight {

/// Axes that take more than one value, as columns; of the numeric ones first that with most values.
struct SweepAxes {
  std::vector<std::size_t> numeric, nominal;
};
SweepAxes axes_of(const SweepTable& table);

/// What the speedup is drawn over: the baseline's axis, or the main one where that has no scale. A column.
std::size_t speedup_axis(const SweepTable& table, const BaselineChoice& choice, const SweepAxes& axes);

} // namespace gradflight
