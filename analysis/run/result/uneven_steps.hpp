// Steps that differ because of events during the run: the slowest step, and the causes. Steps of a pipeline that fills.
#pragma once

#include "analysis/run/result/change_rows.hpp"
#include "analysis/run/result/verdict.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class Platform;
struct RunResult;
struct Scenario;

struct UnevenSteps {
  std::string text{};           ///< before the verdict; empty if steps are alike, or if no known cause made them differ
  bool may_differ = false;      ///< of several steps, each may be unlike the others
  bool differ = false;          ///< they differ: the mean of those that count is that of a step
  std::size_t counted_from = 0; ///< 0, or the first step of the cycles that count
  std::size_t counted_to = 0;   ///< behind the last step that counts; only where they differ
};

/// `came`: changes_until() of the run. `platform` is the platform of the run. The text is "Step 1 of 3 is the slowest,
/// 809 ms (waiting for node2.up, down from 0.5 s to 0.8 s: 300 ms); ...". If only every k-th step exchanges, it has the
/// mean of the last cycle, or of all if something else makes steps differ: "One of 2 steps exchanges gradients. A step
/// takes 200 ms on average, ...". Only steps with equal work are compared: those at the same place of such a cycle in
/// one phase, without those that fill or drain a pipeline. If only other traffic makes steps differ, differences up to
/// a tenth are ignored. If nothing changes but every other step is longer, the text has both lengths and their mean.
///
/// The causes are the parts of the critical path that took longer in the slowest step than in the fastest: outages,
/// other traffic, slow ranks and messages by another route. They also include changes, with what they cost the path of
/// the slowest step more than that of the fastest.
UnevenSteps uneven_steps(const Scenario& scenario, const Platform& platform, const std::vector<ChangeRow>& came,
                         const RunResult& result);

/// The mean of steps that differ.
struct MeanStep {
  double time = 0;             ///< seconds
  Path path{};                 ///< sums to `time`
  std::vector<Bound> bounds{}; ///< bound_by() of these steps together
};
/// Returns nothing if steps are alike.
std::optional<MeanStep> mean_step(const Scenario& scenario, const RunResult& result, const UnevenSteps& uneven);

/// Returns the mean step of the last phase of one of several jobs (s), without those that fill or drain a pipeline;
/// nothing if they are alike. Other jobs may make them differ.
std::optional<double> mean_of_phase(const Scenario& scenario, const RunResult& result);

/// Returns the mean step of workers that do not wait for each other (WorkerSteps); nothing for other runs. If events
/// make steps differ, it is that of the whole phase. Failures do not count.
std::optional<double> mean_worker_step(const RunResult& result, const UnevenSteps& uneven);

/// Returns whether `iteration_time` and its path are means over all steps of the last phase: its pipeline drains before
/// two updates. False for scenarios of several jobs.
bool iteration_is_mean(const Scenario& scenario, const RunResult& result);

/// Returns whether `iteration_time` and its path are means over steps of the slowest of workers that do not wait for
/// each other.
bool iteration_is_of_worker(const RunResult& result);

/// Returns whether a run with pipelined iterations has a step of a full pipeline for `iteration_time`. False: the step
/// belongs to the time in which the pipeline fills or drains, so more iterations may take longer or less. `scenario`
/// has one job, that of the result. Returns true for other runs.
bool pipeline_is_full(const Scenario& scenario, const RunResult& result);

} // namespace gradflight
