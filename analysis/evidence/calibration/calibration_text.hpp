// A calibration as text for people, as JSON for scripts, and as a platform file.
#pragma once

#include "analysis/evidence/calibration/calibration.hpp"

#include <string>

namespace gradflight {

std::string calibration_table(const Measurements& measurements, const Calibration& calibration,
                              const CalibrationSettings& settings);
std::string calibration_json(const Measurements& measurements, const Calibration& calibration,
                             const CalibrationSettings& settings);
/// The beginning of the text of calibrated_platform().
inline constexpr const char* calibrated_opening = "{\n  \"name\": \"calibrated to ";
/// Returns a platform file; its `source` names the measurements, the fitted values and their uncertainties.
std::string calibrated_platform(const Measurements& measurements, const Calibration& calibration);

} // namespace gradflight
