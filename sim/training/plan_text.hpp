// A plan as text: the operations of each stream of each rank, in order, without simulation.
#pragma once

#include <cstdint>
#include <ostream>

namespace gradflight {

class Platform;
struct Scenario;

struct PlanOptions {
  int rank = -1;            ///< only this rank; -1: every rank
  std::int64_t limit = 200; ///< maximum number of printed operations; the rest is counted as "and more"
};

/// `platform` must be build_platform(scenario.platform, extra_nodes(scenario)). Throws std::out_of_range for a rank
/// that the scenario does not have.
void print_plan(const Scenario& scenario, const Platform& platform, const PlanOptions& options, std::ostream& out);

} // namespace gradflight
