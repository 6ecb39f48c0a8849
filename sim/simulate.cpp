#include "sim/simulate.hpp"

#include "sim/engine/run_plans.hpp"
#include "sim/message_count.hpp"
#include "sim/schedules/make_schedule.hpp"
#include "sim/training_plans.hpp"

#include <algorithm>

namespace gradflight {

const char* part_name(Part part) {
  static constexpr std::array<const char*, part_count> names = {
      "compute", "update", "alpha", "beta", "contention", "nic_pipeline", "nic_engine",
      "gamma",   "merge",  "codec", "host", "queue",      "interference"};
  return names[static_cast<std::size_t>(part)];
}

int extra_nodes(const Scenario& scenario) {
  int most = 0;
  for (const Phase& phase : scenario.phases) {
    const ExchangeSpec& x = phase.training.exchange;
    if (has_servers(x) && x.colocated) continue;
    most = std::max(most, helper_count(x, scenario.workers()));
  }
  return most;
}

namespace {

/// The first place of a node: all of them share its NIC.
int place_of(const Platform& platform, int node) {
  const auto& places = platform.places();
  const auto found = std::ranges::find(places, node, &Place::node);
  return static_cast<int>(found - places.begin());
}

} // namespace

bool may_take_shortcuts(const Scenario& scenario) {
  return scenario.engine.shortcuts && scenario.engine.kind == EngineKind::hybrid && !scenario.platform.protocol &&
         scenario.traffic.empty();
}

EngineOptions engine_options(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  EngineOptions engine{may_take_shortcuts(scenario), options.only_times, {}, {}, options.timeline, options.progress};
  if (scenario.limits.simulated_time) engine.time_limit = scenario.limits.simulated_time->value();
  for (const TrafficSpec& flow : scenario.traffic)
    engine.traffic.push_back({place_of(platform, flow.from), place_of(platform, flow.to)});
  std::vector<PlatformError> errors;
  engine.changes = find_changes(scenario.changes, scenario.platform, platform, errors);
  if (!errors.empty()) throw std::invalid_argument(errors.front().pointer + ": " + errors.front().message);
  if (scenario.limits.wall_time) engine.wall_limit = scenario.limits.wall_time->value();
  return engine;
}

RunResult simulate(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  if (scenario.engine.kind != EngineKind::hybrid) throw std::logic_error("this loop has no transfers of SimGrid's");
  try {
    TrainingPlans plans(scenario, platform);
    PlanSequence* const only[] = {&plans};
    return plans.result(run_plans(scenario.platform, platform, only, engine_options(scenario, platform, options)));
  } catch (const ShortcutCrossesChange&) {
    return simulate_step_by_step(scenario, platform, options);
  }
}

RunResult simulate_step_by_step(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  Scenario whole = scenario;
  whole.engine.shortcuts = false;
  if (const auto refused = too_many_messages(whole, platform, false))
    throw SimulationFailure("a change comes in the middle of what a shortcut stands for, and without it " + *refused,
                            {});
  return simulate(whole, platform, options);
}

} // namespace gradflight
