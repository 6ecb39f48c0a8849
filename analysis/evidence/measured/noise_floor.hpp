// How far two measurements of the same work are apart: no model need be nearer.
#pragma once

#include "analysis/evidence/measured/measured_table.hpp"

#include <optional>

namespace gradflight {

/// |out of place / in place - 1| over the rows of a range of sizes that have both.
struct NoiseFloor {
  int rows = 0;
  double median = 0, percentile_90 = 0;
};

/// Sizes from `least` to below `most` bytes. None where no row has both times.
std::optional<NoiseFloor> noise_floor(const std::vector<MeasuredTable>& tables, double least, double most);

} // namespace gradflight
