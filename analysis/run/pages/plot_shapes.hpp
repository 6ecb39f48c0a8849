// The markers of charts. Internal to analysis/run/pages.
#pragma once

#include <string>

namespace gradflight {

inline constexpr int marker_shapes = 7;

/// Returns the outline of a marker around (x, y) with radius `r`, as the attribute "d" of a path.
std::string shape_path(int shape, double x, double y, double r);

} // namespace gradflight
