// The progress of a listed job. Its pace changes when other jobs start or end.
#pragma once

#include "sim/recovery/iteration_times.hpp"
#include "sim/result/result.hpp"

#include <optional>

namespace gradflight {

/// How a job continues from some moment on.
struct JobPace {
  IterationTimes times;                  ///< from then on; the first to end is the iteration under way, if any
  Path share{};                          ///< what each second goes to; sums to 1
  double communication = 0, exposed = 0; ///< seconds per iteration, as in the result
};

/// A job that begins at `start` (s, on the run's clock) and has a given number of iterations. A pace holds until the
/// next one. Then the time under way counts as done part of the current iteration.
class JobProgress {
public:
  JobProgress(double start, std::int64_t iterations) : start_(start), iterations_(iterations), since_(start) {}

  /// Returns the iterations of the current cycle of `cycle` that are done at `now`, the current one in part; 0 if none
  /// is under way.
  [[nodiscard]] double under_way(double now, std::int64_t cycle = 1) const;
  void go_on(double now, JobPace pace);

  /// The expected end at the current pace; before the first go_on(): the start.
  [[nodiscard]] double end() const { return end_.value_or(start_); }
  /// What the time from start to end goes to.
  [[nodiscard]] Path path() const { return path_until(end()); }
  /// The pace of the last go_on(); requires one.
  [[nodiscard]] const JobPace& pace() const { return *pace_; }

private:
  /// Whole iterations since `since_`, and the part of the next.
  struct Done {
    std::int64_t whole;
    double part;
  };
  [[nodiscard]] Done done_at(double now) const;
  [[nodiscard]] Path path_until(double time) const;

  double start_;
  std::int64_t iterations_;
  double since_;
  std::int64_t whole_ = 0; ///< iterations done at `since_`
  double part_ = 0;        ///< done part of the iteration then under way
  std::optional<JobPace> pace_;
  std::optional<double> end_;
  Path before_{}; ///< until `since_`
};

} // namespace gradflight
