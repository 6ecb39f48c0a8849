// Time of any number of iterations, from a run of some of them.
#pragma once

#include <cstdint>
#include <vector>

namespace gradflight {

struct RunResult;

/// Iterations that repeat: the simulated ends of the first ones, then those of the last simulated cycle, again and
/// again. A cycle is one iteration, or as many as there are from one exchange to the next (TrainingSpec::every).
/// Iterations that end while a pipeline drains are not among those that repeat.
class IterationTimes {
public:
  /// The last distances between iterations count as equal if they differ by at most this share.
  static constexpr double alike = 1e-9;

  /// Requires a run of at least one iteration. `steady()`: its last three cycles are equal; otherwise the mean of the
  /// second half replaces them.
  explicit IterationTimes(const RunResult& run, std::int64_t cycle = 1);
  /// From the ends of at least one iteration, and the time after the last of all iterations.
  IterationTimes(std::vector<double> ends, double after, std::int64_t cycle = 1);
  /// For tests and formulas: every iteration takes `period`.
  explicit IterationTimes(double period) : IterationTimes(std::vector<double>{period}, 0) {}

  [[nodiscard]] bool steady() const { return steady_; }
  /// Returns the mean time of an iteration of the last cycle.
  [[nodiscard]] double period() const { return period_; }
  /// Returns the number of iterations after which times repeat; 1 if not steady().
  [[nodiscard]] std::int64_t cycle() const { return cycle_; }
  [[nodiscard]] std::int64_t simulated() const { return simulated_; }
  /// Returns the number of iterations, from the beginning, whose ends are the simulated ones: all complete cycles.
  [[nodiscard]] std::int64_t known() const { return static_cast<std::int64_t>(ends_.size()); }
  /// Returns when iteration `count` (from 1) ends; 0 for `count` 0. The run does not stop there.
  [[nodiscard]] double end(std::int64_t count) const;
  /// Returns what a run takes beyond the end() of its last iteration; < 0 if a draining pipeline is faster.
  [[nodiscard]] double after() const { return after_; }
  /// Returns how many iterations are done after `seconds`, with the current one in proportion.
  [[nodiscard]] double done(double seconds) const;
  /// Returns the time from the beginning of a cycle until `count` iterations are done, the last one in proportion.
  [[nodiscard]] double into_cycle(double count) const;
  /// Time of a job of `count` iterations. A pipeline drains as in the simulated job, which is exact for jobs that end
  /// within a cycle as that job does.
  [[nodiscard]] double whole(std::int64_t count) const { return count > 0 ? end(count) + after_ : 0; }
  /// Time of a part of a job that begins anywhere in a cycle: whole() for complete cycles, and the mean for the rest.
  [[nodiscard]] double part_of_job(std::int64_t count) const {
    const std::int64_t rest = count % cycle_;
    return rest == 0 ? whole(count) : end(count - rest) + after_ + static_cast<double>(rest) * period_;
  }

private:
  void keep_cycles(std::int64_t cycle);

  std::vector<double> ends_; ///< of complete cycles
  std::int64_t simulated_;
  double after_;
  std::int64_t cycle_ = 1;
  double period_ = 0, cycle_time_ = 0;
  bool steady_ = true;
};

/// Extends the run's numbers to `count` iterations: times and critical path by `times`; counts, links and their costs
/// in proportion to the exchanges. `iterations` stay the simulated ones.
void extend(RunResult& run, const IterationTimes& times, std::int64_t count);

} // namespace gradflight
