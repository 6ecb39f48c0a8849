// The exit codes of the process.
#pragma once

namespace gradflight::cli {

enum ExitCode : int {
  done = 0,
  check_failed = 1,      ///< a check, expectation or regression failed
  bad_input = 2,         ///< invalid usage or input, or an output that must not be overwritten: nothing was simulated
  simulation_failed = 3, ///< deadlock, time limit, a time beyond double's range; or an unwritten result
  incomplete = 4,        ///< a sweep is incomplete
  bug = 70
};

} // namespace gradflight::cli
