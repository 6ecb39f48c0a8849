// Where the steps of a recorded training job begin and end on the CPU.
#pragma once

#include "workloads/code/trace.hpp"

#include <string>
#include <vector>

namespace gradflight {

struct TraceStep : TraceSpan {
  std::string name;      ///< of its annotation
  double update_end = 0; ///< the CPU has left the optimizer's annotation; end, where there is none
};

struct TraceSteps {
  std::vector<TraceStep> steps; ///< in order, none overlaps another
  std::string found_by;         ///< "ProfilerStep#N annotations", ...
};

/// By ProfilerStep#N; else from one outermost annotation with "forward" in its name to the next (the last ends with the
/// trace); else from the end of one Optimizer.step annotation to the end of the next. Throws TraceError without any.
TraceSteps find_steps(const Trace& trace);

} // namespace gradflight
