// Simulation of a scenario with failures: their effect on its job.
#pragma once

#include "platforms/code/components.hpp"
#include "sim/simulate.hpp"

namespace gradflight {

/// Number of extra nodes for checkpoints, numbered after the platform's nodes and servers.
int storage_nodes(const Scenario& scenario);

/// Returns what is wrong with `failures` and `recovery` on the platform built for them: kinds that it does not have,
/// gaps between storage nodes, recovery without what it needs. Pointers into the scenario.
std::vector<PlatformError> failure_errors(const Scenario& scenario, const Platform& platform);

/// Returns the job without failures, as much as must be simulated at once: with "restart" some iterations that stand
/// for all; otherwise all of it.
Scenario simulated_part(const Scenario& scenario);

/// For a scenario with `failures`. `time` includes them. Throws SimulationFailure, also if the job cannot continue.
RunResult simulate_with_failures(const Scenario& scenario, const Platform& platform, const SimulateOptions& options);

} // namespace gradflight
