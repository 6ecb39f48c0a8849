// A fit of a network for people, for scripts, and as the platform file that it yields.
#pragma once

#include "analysis/evidence/network_fit/network_fit.hpp"

namespace gradflight {

std::string network_fit_text(const NetworkFit& fit, const TimedSetting& setting);
/// `rate_mbit` of a row: what the platform says of a NIC, or of a GPU's link where all ranks are in one node.
std::string network_fit_json(const NetworkFit& fit, const TimedSetting& setting,
                             const std::vector<SimulableTable>& tables);
/// A platform file with places for all tables; it begins as calibrated_opening (calibration_text.hpp) says.
std::string fitted_platform(const NetworkFit& fit, const TimedSetting& setting,
                            const std::vector<SimulableTable>& tables);
/// "all_reduce among 16 ranks on 2 nodes, 21 rows (measured.log)"
std::string fitted_to_text(const NetworkFit& fit);
/// The same with each number and its interval.
std::string fit_with_intervals(const NetworkFit& fit);

} // namespace gradflight
