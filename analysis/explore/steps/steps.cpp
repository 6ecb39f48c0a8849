#include "analysis/explore/steps/steps.hpp"

#include "analysis/explore/steps/step_bytes.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/result/notes.hpp"
#include "analysis/run/result/outcome.hpp"
#include "analysis/run/result/uneven_steps.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/training/job_calls.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace gradflight {

bool TrainedStep::has_mean() const {
  constexpr double differs = 1e-3; // relative
  return differ || (own_pace && std::abs(mean_time - iteration_time) > differs * iteration_time);
}

void TrainedStep::set_own_pace(double seconds) {
  own_pace = true;
  for (double& part : mean_path) part = mean_time > 0 ? part * (seconds / mean_time) : 0;
  mean_time = calm_time = seconds;
}

TrainedStep step_of(const Prepared& prepared, const RunResult& result) {
  const Scenario& scenario = prepared.scenario();
  TrainedStep step;
  step.time = result.time;
  step.iteration_time = result.iteration_time;
  step.compute_time = result.compute_time;
  step.communication_time = result.communication_time;
  step.exposed_communication_time = result.exposed_communication_time;
  step.messages = static_cast<double>(result.messages);
  step.wire_bytes = result.wire_bytes;
  if (result.failures) {
    if (const double mean = result.failures->mean_goodput(); mean > 0) step.goodput = mean;
    if (result.failures->best) step.best_checkpoint = result.failures->best->iterations;
  }
  for (const Note& note : find_notes(scenario, result))
    if (note.warning) step.warnings.push_back(note.text);
  step.bounds = bound_by(scenario, result);
  if (const auto calls = largest_calls(scenario, scenario.phases.back().training, prepared.platform());
      !calls.empty()) {
    step.call = choice_text(calls.front().library_call);
    step.launches = calls.front().library_call.launch > 0;
  }
  const UnevenSteps uneven =
      uneven_steps(scenario, prepared.platform(), changes_until(scenario.changes, result.time), result);
  step.verdict = uneven.text + verdict_text(step.bounds, step.iteration_time);
  step.may_differ = uneven.may_differ;
  step.differ = uneven.differ;
  step.mean_time = step.calm_time = step.iteration_time;
  step.mean_path = result.iteration_path;
  step.run_mean = result.time / static_cast<double>(total_iterations(scenario));
  if (std::optional<MeanStep> mean = mean_step(scenario, result, uneven)) {
    step.mean_time = mean->time;
    step.mean_path = mean->path;
    step.bounds = std::move(mean->bounds);
    const bool restarts = scenario.recovery && scenario.recovery->policy == RecoveryPolicy::restart;
    step.calm_time = step.mean_time; // failures are no part of a run that restarts
    if (result.failures && !restarts)
      step.calm_time = result.failures->first.useful / static_cast<double>(result.iterations.size());
  }
  if (const std::optional<double> mean = mean_worker_step(result, uneven)) {
    step.set_own_pace(*mean);
    step.run_mean = result.worker_steps->whole;
  }
  return step;
}

void add_warnings(std::vector<StepWarning>& all, const std::string& name, const std::vector<std::string>& warnings) {
  for (const std::string& text : warnings) {
    const auto known = std::ranges::find(all, text, &StepWarning::text);
    (known != all.end() ? *known : all.emplace_back(StepWarning{text, {}})).of.push_back(name);
  }
}

std::string sentence(const StepWarning& warning, std::size_t steps) {
  const std::string of = warning.of.size() < steps ? fmt::format(" ({})", fmt::join(warning.of, ", ")) : "";
  return fmt::format("Warning{}: {}.", of, warning.text);
}

Prepared prepare_one_job(const ScenarioSource& source, const std::vector<std::string>& sets) {
  Prepared prepared = prepare_changed(source, {sets, {}, {}});
  if (!prepared.scenario().one_job())
    throw InputErrors({Diagnostic{source.path.string(), 0, 0, "/jobs",
                                  "compare, scale and advise take a scenario with one job; `run --alone` shows how "
                                  "several jobs slow each other down"}});
  return prepared;
}

std::vector<StepAnswer> simulate_steps(const std::vector<Prepared>& prepared, int jobs, const BatchProgress& progress) {
  std::vector<StepAnswer> answers(prepared.size());
  run_cases(
      prepared.size(), {.jobs = jobs, .progress = progress},
      [&](std::size_t i, Process process) { return step_of(prepared[i], simulate(prepared[i], {.process = process})); },
      [&](std::size_t i, Answer<TrainedStep> answer) {
        if (answer.finished())
          answers[i].step = std::move(answer.value);
        else
          answers[i].failure = answer.end.message();
      });
  return answers;
}

std::optional<double> samples_per_second(const Scenario& scenario, double seconds) {
  if (scenario.workload.batch <= 0 || !(seconds > 0)) return std::nullopt;
  const TrainingSpec& training = scenario.phases.back().training;
  const int counted = scenario.workers() - training.exchange.backup_workers; // servers drop the gradients that are late
  return static_cast<double>(scenario.workload.batch) * counted * training.accumulation / seconds;
}

} // namespace gradflight
