// Medians and other quantiles of measured or simulated values.
#pragma once

#include <vector>

namespace gradflight {

/// The value below which `fraction` of the values lie: between the two nearest in proportion (linear interpolation at
/// place (n - 1) * fraction of the sorted values, from 0). `values` must not be empty.
double percentile(std::vector<double> values, double fraction);

} // namespace gradflight
