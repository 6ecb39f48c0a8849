// How far a job of a list is, whose pace changes as others come and go.
#pragma once

#include "sim/recovery/iteration_times.hpp"
#include "sim/result/result.hpp"

#include <optional>

namespace gradflight {

/// How a job goes on from some moment on.
struct JobPace {
  IterationTimes times;                  ///< from then; the first to end is the iteration under way, if there is one
  Path share{};                          ///< what each second of it goes to; sums to 1
  double communication = 0, exposed = 0; ///< seconds of an iteration, as the result's
};

/// Of a job that begins at `start` (s, on the run's clock) and has so many iterations. A pace holds until the next: the
/// iteration under way has then been done to a part, by time.
class JobProgress {
public:
  JobProgress(double start, std::int64_t iterations) : start_(start), iterations_(iterations), since_(start) {}

  /// The part of the iteration under way that is done at `now`; 0 where none is.
  [[nodiscard]] double under_way(double now) const;
  void go_on(double now, JobPace pace);

  /// As it looks now. Before the first go_on(): the start.
  [[nodiscard]] double end() const { return end_.value_or(start_); }
  /// What the time from start to end goes to.
  [[nodiscard]] Path path() const { return path_until(end()); }
  /// The last go_on()'s; there must have been one.
  [[nodiscard]] const JobPace& pace() const { return *pace_; }

private:
  /// Whole ones since `since_`, and the part of the next.
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
  double part_ = 0;        ///< of the one under way then
  std::optional<JobPace> pace_;
  std::optional<double> end_;
  Path before_{}; ///< until `since_`
};

} // namespace gradflight
