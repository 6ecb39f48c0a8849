// Simulated steps of several scenarios, or of one with changes, for compare, scale and advise.
#pragma once

#include "analysis/run/prepare.hpp"
#include "analysis/run/result/verdict.hpp"
#include "analysis/run/runner.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// The parts of a run that the answers need. Seconds and bytes.
struct TrainedStep {
  double time = 0, iteration_time = 0, compute_time = 0, communication_time = 0, exposed_communication_time = 0;
  double messages = 0, wire_bytes = 0;
  bool may_differ = false, differ = false; ///< steps: UnevenSteps
  /// Mean of a step, and the parts of its path, where steps differ; else those of the last iteration. For workers that
  /// do not wait for each other, mean_worker_step(), with the parts of the slowest worker's steps in proportion.
  double mean_time = 0;
  Path mean_path{};
  bool own_pace = false;               ///< workers do not wait for each other
  double run_mean = 0;                 ///< mean of a step over the whole run
  double calm_time = 0;                ///< the same without the cost of failures
  std::vector<Bound> bounds{};         ///< of the mean step
  std::string verdict{};               ///< Outcome::verdict, about the last step
  std::string call{};                  ///< a library's choice for its largest call; empty without a library
  bool launches = false;               ///< the library has launches, hops and protocols: NCCL, RCCL
  std::vector<std::string> warnings{}; ///< the texts of those notes (find_notes)
  std::optional<double> goodput{};     ///< mean of the lifetimes, if something can fail
  std::optional<std::int64_t>
      best_checkpoint{}; ///< iterations between checkpoints with the best goodput among those tried

  /// Returns the mean cost of a step within a job: with failures, its time without them over the goodput.
  [[nodiscard]] double cost() const { return calm_time / goodput.value_or(1); }
  /// Whether the last iteration does not represent the steps: it is that of the slowest worker, or steps differ.
  [[nodiscard]] bool has_mean() const;
  /// Replaces the mean step by that of workers that do not wait for each other.
  void set_own_pace(double seconds);
};
TrainedStep step_of(const Prepared& prepared, const RunResult& result);

/// A warning, and the names of the steps that it is about.
struct StepWarning {
  std::string text;
  std::vector<std::string> of;
};
void add_warnings(std::vector<StepWarning>& all, const std::string& name, const std::vector<std::string>& warnings);
/// Returns "Warning (a, b): ..."; without names if it is about all of so many steps.
std::string sentence(const StepWarning& warning, std::size_t steps);

/// The result of a simulation.
struct StepAnswer {
  TrainedStep step{};
  std::string failure{}; ///< a line that says why no step exists; empty if one does
};

/// Bounds of a step, and advice, need a single job: throws InputErrors on several, as on all mistakes.
Prepared prepare_one_job(const ScenarioSource& source, const std::vector<std::string>& sets);

/// Simulates all of them, in order, `jobs` at a time.
std::vector<StepAnswer> simulate_steps(const std::vector<Prepared>& prepared, int jobs,
                                       const BatchProgress& progress = {});

/// Returns the samples of a step of `seconds`, over all ranks and mini-batches, per second, without those whose
/// gradients servers drop (`backup_workers`); nothing if the batch is unknown.
std::optional<double> samples_per_second(const Scenario& scenario, double seconds);

} // namespace gradflight
