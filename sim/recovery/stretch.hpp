// What a job achieves from a start to the next failure, with its checkpoints.
#pragma once

#include "sim/recovery/iteration_times.hpp"

namespace gradflight {

/// How a job works on a given number of nodes.
struct Pace {
  IterationTimes times;
  double write = 0, read = 0; ///< seconds of a checkpoint
};

/// From a start to a failure, or to the end.
struct Stretch {
  bool ended = false;
  double time = 0;                   ///< total time until it ended
  std::int64_t saved_iterations = 0; ///< iterations that need not be repeated
  double saved_time = 0;             ///< time that those took
  double written = 0;                ///< time for checkpoints, including incomplete ones
  double redone = 0;                 ///< lost work
  std::int64_t checkpoints = 0;
};

// `between`: iterations from one checkpoint to the next; 0: none are written. `left`: iterations still to do.
// `span`: seconds to the failure.

/// The job stands still while it writes.
Stretch write_synchronously(const Pace& pace, std::int64_t between, std::int64_t left, double span);
/// It continues meanwhile. A checkpoint counts once its write has ended, and the next begins no sooner.
Stretch write_asynchronously(const Pace& pace, std::int64_t between, std::int64_t left, double span);

} // namespace gradflight
