// A list of jobs that arrive and wait for GPUs: each simulated on the GPUs that it gets, beside those that it shares
// links with, once for all that are alike, and its iterations repeated.
#pragma once

#include "sim/simulate.hpp"

namespace gradflight {

/// Of a scenario with `queue`. `time` is the last job's end. Jobs with links in common are told
/// (QueuedRun::shared_with); with QueueNetwork::alone they take what they take alone. Throws SimulationFailure.
RunResult simulate_queue(const Scenario& scenario, const Platform& platform, const SimulateOptions& options);

} // namespace gradflight
