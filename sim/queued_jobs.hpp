// A list of jobs that arrive and wait for GPUs. Each is simulated on the GPUs that it gets, with the jobs that it
// shares links with, once for all equal cases. Its iterations are then repeated.
#pragma once

#include "sim/simulate.hpp"

namespace gradflight {

/// For a scenario with `queue`. `time` is the last job's end. QueuedRun::shared_with tells which jobs share links; with
/// QueueNetwork::alone they still take their time alone. Throws SimulationFailure.
RunResult simulate_queue(const Scenario& scenario, const Platform& platform, const SimulateOptions& options);

} // namespace gradflight
