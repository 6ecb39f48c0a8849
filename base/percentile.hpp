// Medians and other quantiles of measured or simulated values.
#pragma once

#include <vector>

namespace gradflight {

/// Returns the value below which `fraction` of the values lie. Interpolates linearly at position (n - 1) * fraction of
/// the sorted values, counted from 0. `values` must not be empty.
double percentile(std::vector<double> values, double fraction);

} // namespace gradflight
