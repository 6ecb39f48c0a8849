#include "sim/failures.hpp"

#include "platforms/code/outages.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/restarts.hpp"
#include "sim/sample_iterations.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

bool restarts(const Scenario& scenario) {
  return scenario.recovery && scenario.recovery->policy == RecoveryPolicy::restart;
}

/// Returns "; never repaired: node 3 (since 12 s)", with the first of them.
std::string never_repaired(const std::vector<Outage>& outages, const std::vector<Component>& components) {
  const auto first = std::ranges::find_if(outages, [](const Outage& o) { return std::isinf(o.until); });
  if (first == outages.end()) return {};
  return fmt::format("; never repaired: {} (since {:.6g} s)", components[first->component].name, first->at);
}

/// The job waits for repairs: simulates all of it, with all failures until it ends.
RunResult simulate_waiting(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                           const std::vector<Component>& components, int repeat, std::vector<Outage>& begun) {
  constexpr double at_first = 64; // failures; then eight times as many, until the job ends before the last one
  for (double horizon = at_first * mean_time_between(*scenario.failures, components);; horizon *= 8) {
    Outages outages(*scenario.failures, components, repeat);
    std::vector<Outage> all;
    outages.watch([&all](const Outage& outage) { all.push_back(outage); });
    const auto changes = changes_of_outages(outages, components, platform, horizon);
    try {
      RunResult run = simulate_changed(scenario, platform, options, changes);
      if (run.time > horizon) continue;
      std::ranges::copy_if(all, std::back_inserter(begun), [&](const Outage& o) { return o.at < run.time; });
      return run;
    } catch (const SimulationFailure& failure) {
      SimulationFailure more(failure.what() + never_repaired(all, components), failure.blocked);
      more.blocked_count = failure.blocked_count;
      throw more;
    }
  }
}

RunResult simulate_waits(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                         const std::vector<Component>& components) {
  Scenario calm = scenario;
  calm.failures.reset();
  calm.recovery.reset();
  const RunResult without = simulate(calm, platform, {.only_times = true});
  const double useful = without.time;
  calm.recovery = scenario.recovery; // outages follow this recovery
  FailuresResult result;
  result.mtbf = mean_time_between(*scenario.failures, components);
  RunResult first;
  for (int repeat = 0; repeat < scenario.failures->repeats; ++repeat) {
    SimulateOptions one = options;
    if (repeat > 0) one.timeline = nullptr;
    std::vector<Outage> begun;
    RunResult run = simulate_waiting(calm, platform, one, components, repeat, begun);
    result.goodputs.push_back(useful / run.time);
    if (repeat > 0) continue;
    for (const Outage& outage : begun) {
      ++result.first.failures[static_cast<std::size_t>(components[outage.component].kind)];
      note(result, outage, components);
    }
    first = std::move(run);
  }
  result.first.elapsed = first.time;
  result.first.useful = useful;
  result.first.at(Loss::repair) = first.time - useful;
  result.period = first.iteration_time;
  first.worker_steps = without.worker_steps; // goodputs count the failures
  first.failures = std::move(result);
  return first;
}

} // namespace

int storage_nodes(const Scenario& scenario) {
  const CheckpointSpec* checkpoint = checkpoint_spec(scenario);
  if (checkpoint == nullptr || checkpoint->to.empty()) return 0;
  return std::max(0, std::ranges::max(checkpoint->to) + 1 - scenario.platform.nodes - helper_nodes(scenario));
}

Scenario simulated_part(const Scenario& scenario) {
  if (restarts(scenario))
    return with_iterations(scenario, std::min(scenario.phases.back().training.iterations, first_sample(scenario)));
  Scenario calm = scenario;
  calm.failures.reset();
  if (scenario.failures && !loses_messages(scenario)) calm.recovery.reset();
  return calm;
}

std::vector<PlatformError> failure_errors(const Scenario& scenario, const Platform& platform) {
  std::vector<PlatformError> errors;
  if (!scenario.failures) return errors;
  find_components(*scenario.failures, scenario.platform, platform, errors);
  const CheckpointSpec* checkpoint = checkpoint_spec(scenario);
  if (checkpoint == nullptr || checkpoint->to.empty()) return errors;
  const int own = scenario.platform.nodes + helper_nodes(scenario);
  for (int node = own; node < platform.nodes(); ++node)
    if (std::ranges::find(checkpoint->to, node) == checkpoint->to.end()) {
      errors.push_back(
          {"/recovery/checkpoint/to",
           fmt::format(
               "the numbers of storage nodes must follow the {} nodes of the job without gaps: node {} is missing", own,
               node)});
      break;
    }
  return errors;
}

RunResult simulate_with_failures(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  std::vector<PlatformError> errors;
  const std::vector<Component> components = find_components(*scenario.failures, scenario.platform, platform, errors);
  if (!errors.empty()) throw std::invalid_argument(errors.front().pointer + ": " + errors.front().message);
  const auto simulated = restarts(scenario) ? simulate_restarts : simulate_waits;
  return simulated(scenario, platform, options, components);
}

} // namespace gradflight
