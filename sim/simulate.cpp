#include "sim/simulate.hpp"

#include "models/schedules/make_schedule.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/engine/run_plans.hpp"
#include "sim/failures.hpp"
#include "sim/jobs.hpp"
#include "sim/message_count.hpp"
#include "sim/queued_jobs.hpp"
#include "sim/repeated_iterations.hpp"
#include "sim/training_plans.hpp"

#include <algorithm>

namespace gradflight {

int helper_nodes(const Scenario& scenario) {
  int most = 0;
  for (const Scenario& job : job_scenarios(scenario)) most += helper_nodes(job);
  if (scenario.queue) return 0; // listed jobs have no servers of their own
  for (const Phase& phase : scenario.phases) {
    const ExchangeSpec& x = phase.training.exchange;
    if (has_servers(x) && x.colocated) continue;
    most = std::max(most, helper_count(x, scenario.workers()));
  }
  return most;
}

int extra_nodes(const Scenario& scenario) { return helper_nodes(scenario) + storage_nodes(scenario); }

bool may_take_shortcuts(const Scenario& scenario) {
  return scenario.engine.shortcuts && scenario.engine.kind == EngineKind::hybrid && !scenario.platform.protocol &&
         scenario.traffic.empty() && !loses_messages(scenario);
}

EngineOptions engine_options(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  EngineOptions engine{may_take_shortcuts(scenario), options.only_times, {}, {}, options.timeline, options.progress};
  if (scenario.limits.simulated_time) engine.time_limit = scenario.limits.simulated_time->value();
  engine.traffic = scenario.traffic;
  if (loses_messages(scenario))
    engine.losses = {scenario.recovery->policy == RecoveryPolicy::reroute, scenario.recovery->detection.value()};
  std::vector<PlatformError> errors;
  engine.changes = find_changes(scenario.changes, scenario.platform, platform, errors);
  for (const ChangeSpec& change : scenario.changes) engine.change_names.push_back(change_target(change));
  if (!errors.empty()) throw std::invalid_argument(errors.front().pointer + ": " + errors.front().message);
  if (scenario.limits.wall_time) engine.wall_limit = scenario.limits.wall_time->value();
  return engine;
}

RunResult simulate(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  if (scenario.queue) return simulate_queue(scenario, platform, options);
  return scenario.failures ? simulate_with_failures(scenario, platform, options)
                           : simulate_changed(scenario, platform, options, {});
}

RunResult simulate_changed(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                           std::span<const PlatformChange> further) {
  if (scenario.engine.kind != EngineKind::hybrid) throw std::logic_error("simulate_changed() needs the hybrid engine");
  EngineOptions engine = engine_options(scenario, platform, options);
  const auto add_changes = [&](EngineOptions& to) {
    to.changes.insert(to.changes.end(), further.begin(), further.end());
    std::ranges::stable_sort(to.changes, {}, &PlatformChange::at);
  };
  try {
    if (!scenario.jobs.empty())
      return simulate_jobs(scenario, platform, options, further.empty() ? JobsRun::apart : JobsRun::together,
                           [&](std::span<PlanSequence* const> plans, EngineOptions of_jobs) {
                             add_changes(of_jobs);
                             return run_plans(scenario.platform, platform, plans, of_jobs);
                           });
    add_changes(engine);
    const auto run = [&](const Scenario& of, IterationHistory* history) {
      EngineOptions noted = engine;
      noted.history = history;
      TrainingPlans plans(of, platform);
      PlanSequence* const only[] = {&plans};
      return plans.result(run_plans(of.platform, platform, only, noted));
    };
    if (further.empty() && may_repeat_iterations(scenario, options))
      if (std::optional<RunResult> all = repeated_iterations(scenario, run)) return std::move(*all);
    return run(scenario, nullptr);
  } catch (const ShortcutFails&) {
    return simulate_step_by_step(scenario, platform, options, further);
  }
}

RunResult simulate_step_by_step(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                                std::span<const PlatformChange> further) {
  Scenario whole = scenario;
  whole.engine.shortcuts = false;
  if (const auto refused = too_many_messages(whole, platform, false))
    throw SimulationFailure("a change comes in the middle of what a shortcut stands for, and without it " + *refused,
                            {});
  return simulate_changed(whole, platform, options, further);
}

} // namespace gradflight
