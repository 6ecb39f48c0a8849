// A fit of a network as text for people, as JSON for scripts, and as a platform file.
#pragma once

#include "analysis/evidence/network_fit/network_fit.hpp"

namespace gradflight {

std::string network_fit_text(const NetworkFit& fit, const TimedSetting& setting);
/// `rate_mbit` of a row is the platform's rate of a NIC, or of a GPU's link if all ranks are in one node.
std::string network_fit_json(const NetworkFit& fit, const TimedSetting& setting,
                             const std::vector<SimulableTable>& tables);
/// Returns a platform file with places for all tables; it begins with calibrated_opening (calibration_text.hpp).
std::string fitted_platform(const NetworkFit& fit, const TimedSetting& setting,
                            const std::vector<SimulableTable>& tables);
/// Returns "all_reduce among 16 ranks on 2 nodes, 21 rows (measured.log)".
std::string fitted_to_text(const NetworkFit& fit);
/// Returns the same with each number and its interval.
std::string fit_with_intervals(const NetworkFit& fit);

} // namespace gradflight
