// Time of any number of iterations, from a run of some of them.
#pragma once

#include <cstdint>
#include <vector>

namespace gradflight {

struct RunResult;

/// Iterations that repeat: the simulated ends of the first ones, then one per `period`.
class IterationTimes {
public:
  /// The last distances between iterations count as equal if they differ by at most this share.
  static constexpr double alike = 1e-9;

  /// Requires a run of at least one iteration. `steady()`: its last three distances are equal; otherwise the mean of
  /// the second half replaces them.
  explicit IterationTimes(const RunResult& run);
  /// From the ends of at least one iteration, and the time after the last of all iterations.
  IterationTimes(std::vector<double> ends, double after);
  /// For tests and formulas: every iteration takes `period`.
  explicit IterationTimes(double period) : ends_{period}, period_(period) {}

  [[nodiscard]] bool steady() const { return steady_; }
  [[nodiscard]] double period() const { return period_; }
  [[nodiscard]] std::int64_t simulated() const { return static_cast<std::int64_t>(ends_.size()); }
  /// Returns when iteration `count` (from 1) ends; 0 for `count` 0. The run does not stop there.
  [[nodiscard]] double end(std::int64_t count) const;
  /// Remaining time after the last iteration (a pipeline drains).
  [[nodiscard]] double after() const { return after_; }
  /// Returns how many iterations are done after `seconds`, with the current one in proportion.
  [[nodiscard]] double done(double seconds) const;
  /// Time of a job of `count` iterations: the last one's end plus after() (a pipeline drains).
  [[nodiscard]] double whole(std::int64_t count) const { return count > 0 ? end(count) + after_ : 0; }

private:
  std::vector<double> ends_;
  double period_ = 0, after_ = 0;
  bool steady_ = true;
};

/// Extends the run's numbers to `count` iterations: times by `times`; critical path, counts, links and their costs in
/// proportion. `iterations` stay the simulated ones.
void extend(RunResult& run, const IterationTimes& times, std::int64_t count);

} // namespace gradflight
