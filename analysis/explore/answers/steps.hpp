// Steps of several scenarios, or of one with changes, simulated side by side: what compare, scale and advise look at.
#pragma once

#include "analysis/run/prepare.hpp"
#include "analysis/run/result/verdict.hpp"
#include "analysis/run/runner.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// What of a run the answers need. Seconds and bytes.
struct TrainedStep {
  double time = 0, iteration_time = 0, compute_time = 0, communication_time = 0, exposed_communication_time = 0;
  double messages = 0, wire_bytes = 0;
  Path path{}; ///< of the last iteration
  std::vector<Bound> bounds{};
  std::string uneven{};            ///< uneven_steps_text()
  std::optional<double> goodput{}; ///< mean of the lifetimes, where things fail
  std::optional<std::int64_t>
      best_checkpoint{}; ///< iterations between checkpoints with the best goodput of those tried

  /// What a step costs in the course of a job: with failures its time over the goodput.
  [[nodiscard]] double cost() const { return iteration_time / goodput.value_or(1); }
  [[nodiscard]] std::string verdict() const { return uneven + verdict_text(bounds, iteration_time); }
};
TrainedStep step_of(const Prepared& prepared, const RunResult& result);

/// What a simulation came to.
struct StepAnswer {
  TrainedStep step{};
  std::string failure{}; ///< why there is none, in a line; empty: there is one
};

/// What bounds a step, and what would help, is asked of one job: throws InputErrors on several, as on all mistakes.
Prepared prepare_one_job(const ScenarioSource& source, const std::vector<std::string>& sets);

/// All of them, in order, `jobs` at a time.
std::vector<StepAnswer> simulate_steps(const std::vector<Prepared>& prepared, int jobs,
                                       const BatchProgress& progress = {});

/// Samples of a step over all ranks and mini-batches, over its time; nothing where the batch is not known.
std::optional<double> samples_per_second(const Scenario& scenario, double iteration_time);

} // namespace gradflight
