// How fast workers iterate that do not wait for each other: asynchronous parameter servers, bounded staleness.
//
// The workers' rates add up. A rate counts whole iterations of the worker, because these repeat. It counts only the
// time in which every worker still has work: the run's later part has fewer workers, and says nothing about a longer
// run.
#pragma once

#include "sim/plan/plan.hpp"
#include "sim/result/result.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace gradflight {

/// Memory is O(workers).
class WorkerPaces {
public:
  /// `shape`: of a plan with an own_pace that begins at `start` (s).
  WorkerPaces(const PlanShape& shape, double start);

  /// `worker` has the updated model of iteration `iteration` at `time` (s). Times never decrease.
  void mark(std::int32_t worker, std::int64_t iteration, bool draining, double time);

  [[nodiscard]] std::int64_t cycle() const { return pace_.cycle; }
  /// Whether every worker had an iteration to begin before `time`, the latest one of mark().
  [[nodiscard]] bool all_busy(double time) const { return same_instant(all_busy_, time); }

  /// Returns the steps of the finished plan; nothing if some worker's iterations take no time.
  [[nodiscard]] std::optional<WorkerSteps> steps() const;

private:
  /// A number of completed iterations, and when they were complete.
  struct Mark {
    std::int64_t count = 0;
    double time = 0;
  };
  struct Worker {
    Mark first, settled, busy, last; ///< the first mark; the last ones until settled_, until all_busy_, and of all
  };

  OwnPace pace_;
  std::int64_t iterations_;
  double start_;
  double settled_, all_busy_ = std::numeric_limits<double>::infinity(); ///< unknown as long as they are infinite
  std::vector<Worker> workers_;
};

} // namespace gradflight
