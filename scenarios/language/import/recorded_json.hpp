// What a trace recorded, as JSON for scripts: times in seconds.
#pragma once

#include "workloads/code/trace_times.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// { "device", "rank", "world_size", "steps": [ { "name", "duration_s", "before_s", "forward_s", "backward_s",
/// "update_s", "backward_end_s", "communication_end_s", ..., "collectives": [ ... ] } ] }; times of a step count from
/// its begin on the GPU. Absent: not recorded.
std::string recorded_json(const Trace& trace, const std::vector<StepTimes>& steps);

} // namespace gradflight
