// The content of a recorded trace as JSON for scripts: times in seconds.
#pragma once

#include "workloads/code/trace_times.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// { "device", "rank", "world_size", "steps": [ { "name", "duration_s", "before_s", "forward_s", "backward_s",
/// "update_s", "backward_end_s", "communication_end_s", ..., "collectives": [ ... ] } ] }. Times of a step count from
/// its begin on the GPU. Values that were not recorded are absent.
std::string recorded_json(const Trace& trace, const std::vector<StepTimes>& steps);

/// Whether a file that begins so was written with recorded_json.
bool is_recorded_json(std::string_view begin);

} // namespace gradflight
