// Recorded collectives: one value from what the CPU's call, its annotation and its kernel each say.
#pragma once

#include "workloads/code/trace_times.hpp"

#include <vector>

namespace gradflight {

struct TraceCall : TraceCollective {
  int thread = 0; ///< that issued it
};

/// Of the whole trace, as issued. `gradient` and `ready` are left to the caller.
std::vector<TraceCall> find_collectives(const Trace& trace);

} // namespace gradflight
