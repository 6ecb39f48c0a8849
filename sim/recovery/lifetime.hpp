// The lifetime of a job that restarts from its last checkpoint after each failure. No message is simulated here; whole
// stretches between failures are computed at once.
//
// A checkpoint for which the job stands still also drains its pipelines: the next iterations begin as at a start.
// Everything can fail at any time, also during checkpoints and restarts. docs/failures.md has the rules.
//
// An elastic job continues with the remaining nodes. Work is counted in iterations of one node: each rank keeps its
// batch, so n of N nodes do n in an iteration. After a node's repair the job restarts with one node more.
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
  std::int64_t every = 0; ///< iterations between checkpoints; 0: `every_time` decides
  double every_time = 0;  ///< seconds of work; a checkpoint follows the first iteration to end after them; 0: none
  double write = 0, read = 0;
  bool asynchronous = false;
  double detection = 0, restart = 0;
  int spares = 0;
  std::optional<double> time_limit{};
  std::optional<std::chrono::steady_clock::time_point> deadline{}; ///< of the computer's clock
  int nodes = 1, least_nodes = 1;                                  ///< equal: the job needs all its nodes, or waits
  std::function<const Pace&(int nodes)> pace;                      ///< for fewer than all nodes
};
/// Returns the iterations between checkpoints, with `period` seconds each; 0: none are written.
std::int64_t iterations_between(const LifetimeSetup& setup, double period);

/// `why_not`: why it does not end (a limit, no progress, something is down for good); the other members then cover the
/// time until then.
struct LifeEnd {
  Lifetime life;
  std::string why_not{};
};
LifeEnd live(const IterationTimes& times, const LifetimeSetup& setup, Outages& outages,
             const std::vector<Component>& components);

} // namespace gradflight
