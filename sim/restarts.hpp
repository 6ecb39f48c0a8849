// Jobs that restart from checkpoints, and functions that both kinds of recovery use (failures.hpp).
#pragma once

#include "platforms/code/outages.hpp"
#include "scenarios/language/types/recovery.hpp"
#include "sim/simulate.hpp"

namespace gradflight {

/// Null if no checkpoints are written.
const CheckpointSpec* checkpoint_spec(const Scenario& scenario);

/// Mean time between any two failures while everything is up.
double mean_time_between(const FailureSpec& failures, const std::vector<Component>& components);

/// Adds an outage to the list in a result.
void note(FailuresResult& result, const Outage& outage, const std::vector<Component>& components);

/// For a scenario with `failures` and recovery "restart".
RunResult simulate_restarts(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                            const std::vector<Component>& components);

} // namespace gradflight
