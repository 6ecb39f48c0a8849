// Jobs that restart from checkpoints, and what both kinds of recovery need to know of failures (failures.hpp).
#pragma once

#include "platforms/code/outages.hpp"
#include "scenarios/language/types/recovery.hpp"
#include "sim/simulate.hpp"

namespace gradflight {

/// Null where no checkpoints are written.
const CheckpointSpec* checkpoint_spec(const Scenario& scenario);

/// One failure of anything after another, on average, while all is up.
double mean_time_between(const FailureSpec& failures, const std::vector<Component>& components);

/// Adds an outage to those that a result lists.
void note(FailuresResult& result, const Outage& outage, const std::vector<Component>& components);

/// Of a scenario with `failures` and recovery "restart".
RunResult simulate_restarts(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                            const std::vector<Component>& components);

} // namespace gradflight
