// What the process tells its caller.
#pragma once

namespace gradflight::cli {

enum ExitCode : int {
  done = 0,
  check_failed = 1,      ///< a check, expectation or regression failed
  bad_input = 2,         ///< invalid usage or input, or an output that must not be written: nothing was simulated
  simulation_failed = 3, ///< deadlock, time limit, a time that no double holds; or its result could not be written
  incomplete = 4,        ///< a sweep is
  bug = 70
};

} // namespace gradflight::cli
