// The difference between two measurements of the same work: a lower limit for the error of any model.
#pragma once

#include "analysis/evidence/measured/measured_table.hpp"

#include <optional>

namespace gradflight {

/// |out of place / in place - 1| over the rows with both times in a range of sizes.
struct NoiseFloor {
  int rows = 0;
  double median = 0, percentile_90 = 0;
};

/// Sizes are from `least` to below `most` bytes. Returns nothing if no row has both times.
std::optional<NoiseFloor> noise_floor(const std::vector<MeasuredTable>& tables, double least, double most);

} // namespace gradflight
