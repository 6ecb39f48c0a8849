// Where the steps of a recorded training job begin and end on the CPU.
#pragma once

#include "workloads/code/trace.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct TraceStep : TraceSpan {
  std::string name;      ///< name of its annotation
  double update_end = 0; ///< when the CPU leaves the optimizer's annotation; `end` without one
};

struct TraceSteps {
  std::vector<TraceStep> steps; ///< in order, without overlap
  std::string found_by;         ///< "ProfilerStep#N annotations", ...
};

/// Finds steps by ProfilerStep#N. Otherwise a step lasts from one outermost annotation with "forward" in its name to
/// the next; the last ends with the trace. Otherwise it lasts from the end of one Optimizer.step annotation to the end
/// of the next. Throws TraceError without any of these.
TraceSteps find_steps(const Trace& trace);

} // namespace gradflight
