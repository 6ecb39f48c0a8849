// Recorded collectives: combines the data of the CPU's call, its annotation and its kernel.
#pragma once

#include "workloads/code/trace_times.hpp"

#include <vector>

namespace gradflight {

struct TraceCall : TraceCollective {
  int thread = 0; ///< the thread that issued it
};

/// Returns the collectives of the whole trace, in the order of their issue. The caller sets `gradient` and `ready`.
std::vector<TraceCall> find_collectives(const Trace& trace);

} // namespace gradflight
