// A scenario in which things fail: what that does to its job.
#pragma once

#include "platforms/code/components.hpp"
#include "sim/simulate.hpp"

namespace gradflight {

/// Extra nodes for checkpoints, behind the platform's nodes and servers.
int storage_nodes(const Scenario& scenario);

/// What is wrong with `failures` and `recovery` on the platform that was built for them: kinds of which it has none,
/// storage nodes that leave gaps, recovery without what it needs. Pointers into the scenario.
std::vector<PlatformError> failure_errors(const Scenario& scenario, const Platform& platform);

/// The job without failures, as far as it has to be simulated at once: under "restart" some iterations, which stand for
/// all; else all.
Scenario simulated_part(const Scenario& scenario);

/// Of a scenario with `failures`. `time` is with them. Throws SimulationFailure, also where the job cannot go on.
RunResult simulate_with_failures(const Scenario& scenario, const Platform& platform, const SimulateOptions& options);

} // namespace gradflight
