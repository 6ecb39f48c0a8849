// The 95 % intervals of a network's numbers (docs/calibration.md).
#pragma once

#include "analysis/evidence/calibration/fit.hpp"
#include "analysis/evidence/network_fit/network_parameters.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

/// A value for each parameter, or an error for each row.
using FitPoint = std::vector<double>;
using FitInterval = std::pair<double, double>;

double sum_of_squares(const FitPoint& errors);

/// Returns the errors of all rows at each point, as the fit has them.
using LogsAt = std::function<std::vector<FitPoint>(const std::vector<FitPoint>& points)>;

/// Returns the interval of each fitted number: Student's t for a time or the time of a byte, plus the possible shift by
/// the rounding of the rows. Nothing for too few rows.
std::vector<std::optional<FitInterval>> fit_intervals(const std::vector<const NetworkParameter*>& parameters,
                                                      const FitResult& found, const LogsAt& logs_at);

/// Returns why a number with a wide interval is not determined.
std::string bounds_text(const NetworkParameter& p, const FitInterval& interval);

} // namespace gradflight
