// How long any number of iterations takes, from a run of some of them.
#pragma once

#include <cstdint>
#include <vector>

namespace gradflight {

struct RunResult;

/// Iterations that repeat: the ends of the first ones as they were simulated, then one each `period`.
class IterationTimes {
public:
  /// How far the last distances of iterations may be apart, as a share, to be one and the same.
  static constexpr double alike = 1e-9;

  /// Of a run of at least one iteration. `steady()`: its last three distances are alike; else the mean of the second
  /// half's stands for them.
  explicit IterationTimes(const RunResult& run);
  /// Of iterations that end then, at least one, and what follows the last of all.
  IterationTimes(std::vector<double> ends, double after);
  /// For tests and formulas: every iteration takes `period`.
  explicit IterationTimes(double period) : ends_{period}, period_(period) {}

  [[nodiscard]] bool steady() const { return steady_; }
  [[nodiscard]] double period() const { return period_; }
  [[nodiscard]] std::int64_t simulated() const { return static_cast<std::int64_t>(ends_.size()); }
  /// When iteration `count` (from 1) ends; 0: 0. Nothing stops there.
  [[nodiscard]] double end(std::int64_t count) const;
  /// What is still to be done after the last one (a pipeline drains).
  [[nodiscard]] double after() const { return after_; }
  /// How many are done after `seconds`, the one under way in proportion.
  [[nodiscard]] double done(double seconds) const;
  /// A job of so many: the last one's end, and what is still to be done after it (a pipeline drains).
  [[nodiscard]] double whole(std::int64_t count) const { return count > 0 ? end(count) + after_ : 0; }

private:
  std::vector<double> ends_;
  double period_ = 0, after_ = 0;
  bool steady_ = true;
};

/// The run's numbers for `count` iterations instead of those it had: times by `times`, critical path, counts, links and
/// their costs in proportion. `iterations` stay those that were simulated.
void extend(RunResult& run, const IterationTimes& times, std::int64_t count);

} // namespace gradflight
