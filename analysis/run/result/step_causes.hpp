// Why one step of a run is slower than another.
#pragma once

#include "analysis/run/result/outcome.hpp"
#include "analysis/run/result/slowing_change.hpp"
#include "sim/result/result.hpp"

#include <string>
#include <vector>

namespace gradflight {

inline constexpr double uneven_by = 1e-3; ///< relative: a larger difference makes steps uneven

/// The part of the critical path that a step adds. The result must outlive it.
class RunStep {
public:
  RunStep(const RunResult& result, std::size_t number)
      : start_(before_start(result).value_or(0)), before_(number > 0 ? result.iterations[number - 1] : run_start()),
        own_(result.iterations[number]) {}

  /// On the clock of the run.
  [[nodiscard]] StepSpan span() const { return {start_ + before_.end, start_ + own_.end}; }
  [[nodiscard]] double length() const { return own_.end - before_.end; }
  [[nodiscard]] double part(Part part) const { return at(own_.path, part) - at(before_.path, part); }
  [[nodiscard]] double straggling() const { return own_.details.straggling - before_.details.straggling; }
  [[nodiscard]] double down() const { return own_.details.down - before_.details.down; }
  /// Returns how many messages took another route.
  [[nodiscard]] std::int64_t rerouted() const { return own_.rerouted - before_.rerouted; }
  [[nodiscard]] const PathEvents& events() const { return own_.events; }
  /// Whether the path does not continue the one of the step before, because it came by another rank. Then the parts
  /// that the step adds explain nothing.
  [[nodiscard]] bool apart() const { return gradflight::apart(before_.path, own_.path); }

private:
  static const IterationResult& run_start();
  double start_;
  const IterationResult &before_, &own_;
};

/// Returns "node1.up: bandwidth 2 Gbps from 100 ms to 120 ms"; several causes each have their seconds. Empty if the
/// largest cause is unknown and those that are known take less than a quarter of the difference of the steps.
std::string cause_of_slow_step(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came,
                               const RunResult& result, const RunStep& slow, const RunStep& fast);

} // namespace gradflight
