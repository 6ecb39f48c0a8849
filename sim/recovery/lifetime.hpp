// The life of a job that starts again from its last checkpoint whenever something fails: no message is simulated here,
// whole stretches between failures are jumped over.
//
// A checkpoint that is written while the job stands still ends its pipelines: iterations after it begin as at a start.
// All that fails at any time, during checkpoints and restarts, too. docs/failures.md has the rules.
//
// An elastic job goes on with the nodes that are left. Work is counted in iterations of one node: each rank keeps its
// batch, so n of N nodes do n in an iteration. A node that is repaired makes the job start again with one more.
#pragma once

#include "platforms/code/outages.hpp"
#include "sim/recovery/stretch.hpp"
#include "sim/result/lifetime_result.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace gradflight {

struct LifetimeSetup {
  std::int64_t iterations = 1;
  std::int64_t every = 0; ///< iterations between checkpoints; 0: as `every_time` says
  double every_time = 0;  ///< seconds of work after which the first iteration to end is followed by one; 0: by none
  double write = 0, read = 0;
  bool asynchronous = false;
  double detection = 0, restart = 0;
  int spares = 0;
  std::optional<double> time_limit{};
  std::optional<std::chrono::steady_clock::time_point> deadline{}; ///< of the computer's clock
  int nodes = 1, least_nodes = 1;                                  ///< equal: the job has all of them, or waits
  std::function<const Pace&(int nodes)> pace;                      ///< of fewer than all
};
/// Iterations between checkpoints, of `period` seconds; 0: none are written.
std::int64_t iterations_between(const LifetimeSetup& setup, double period);

/// `why_not`: it does not end (a limit, no progress, something is down for good); `lost` and the rest then tell what
/// there was until then.
struct LifeEnd {
  Lifetime life;
  std::string why_not{};
};
LifeEnd live(const IterationTimes& times, const LifetimeSetup& setup, Outages& outages,
             const std::vector<Component>& components);

} // namespace gradflight
