// The markers of charts. Internal to analysis/run/pages.
#pragma once

#include <string>

namespace gradflight {

inline constexpr int marker_shapes = 7;

/// The outline of a marker around (x, y) of radius `r`, as a path's "d".
std::string shape_path(int shape, double x, double y, double r);

} // namespace gradflight
