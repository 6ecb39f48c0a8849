// A calibration for people, for scripts, and as the platform file that it yields.
#pragma once

#include "analysis/evidence/calibration/calibration.hpp"

#include <string>

namespace gradflight {

std::string calibration_table(const Measurements& measurements, const Calibration& calibration,
                              const CalibrationSettings& settings);
std::string calibration_json(const Measurements& measurements, const Calibration& calibration,
                             const CalibrationSettings& settings);
/// What the text of calibrated_platform() begins with.
inline constexpr const char* calibrated_opening = "{\n  \"name\": \"calibrated to ";
/// A platform file; its `source` cites the measurements, the fitted values and their uncertainties.
std::string calibrated_platform(const Measurements& measurements, const Calibration& calibration);

} // namespace gradflight
