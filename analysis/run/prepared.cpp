#include "analysis/run/prepared.hpp"

#include "analysis/run/result/fields/quantity.hpp"
#include "models/schedules/make_schedule.hpp"
#include "models/schedules/parts/collective.hpp"
#include "platforms/code/changes.hpp"
#include "platforms/code/traffic.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "sim/failures.hpp"
#include "sim/jobs.hpp"
#include "sim/message_count.hpp"
#include "sim/queue_samples.hpp"
#include "sim/simulate.hpp"
#include "sim/training/job_calls.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace gradflight {
namespace {

Platform platform_for(const Scenario& scenario) { return build_platform(scenario.platform, extra_nodes(scenario)); }

/// Library calls need whole nodes, for every set of GPUs that a job of a list may get.
std::vector<PlatformError> queue_problems(const Scenario& scenario, const Platform& platform) {
  std::vector<PlatformError> errors;
  const JobQueue& queue = *scenario.queue;
  const Collective* caller = caller_of(scenario.phases.back().training.exchange);
  if (caller == nullptr) return errors;
  const bool by_node = queue.placement == JobPlacement::packed || queue.placement == JobPlacement::by_rack;
  if (caller->group.needs_switch)
    return {{"/training/exchange/algorithm", fmt::format("{} needs a switch between all ranks, which a job of a list "
                                                         "may not get: describe each job in \"jobs\" instead",
                                                         caller->name)}};
  const bool whole_nodes = by_library(*caller) || caller->group.groups;
  if (whole_nodes && !by_node && scenario.platform.gpus_per_node > 1)
    errors.push_back({"/jobs/placement", fmt::format("calls of {} need whole nodes: use \"packed\" or \"by_rack\"",
                                                     by_library(*caller) ? "a library" : caller->name)});
  std::map<int, std::size_t> first; // GPU count to the first job with it
  for (std::size_t j = 0; j < queue.list.size(); ++j) first.try_emplace(queue.list[j].gpus, j);
  for (const auto& [count, job] : first) {
    std::vector<int> packed(static_cast<std::size_t>(count));
    std::iota(packed.begin(), packed.end(), 0);
    for (CallProblem& problem : call_problems(listed_job(scenario, std::move(packed)), platform))
      errors.push_back({fmt::format("/jobs/file/{}/gpus", job), std::move(problem.text)});
  }
  return errors;
}

/// Finds mistakes in calls of libraries, on a platform without mistakes.
void check_calls(const Scenario& scenario, const Platform& platform, std::vector<PlatformError>& errors) {
  if (scenario.queue) {
    std::ranges::move(queue_problems(scenario, platform), std::back_inserter(errors));
    return;
  }
  for (CallProblem& problem : call_problems(scenario, platform))
    errors.push_back({std::move(problem.pointer), std::move(problem.text)});
  const std::vector<Scenario> jobs = job_scenarios(scenario);
  for (std::size_t j = 0; j < jobs.size(); ++j)
    for (CallProblem& problem : call_problems(jobs[j], platform))
      errors.push_back({fmt::format("/jobs/{}{}", j, problem.pointer), std::move(problem.text)});
}

/// Builds the platform, if necessary without overrides that have mistakes.
std::optional<Platform> built_platform(const Scenario& scenario, std::vector<PlatformError>& errors) {
  try {
    return platform_for(scenario);
  } catch (const UnbuildablePlatform& refused) {
    for (PlatformError error : refused.errors()) {
      error.pointer = "/platform" + error.pointer;
      errors.push_back(std::move(error));
    }
  }
  if (std::ranges::any_of(errors, [](const auto& e) { return !e.pointer.starts_with("/platform/overrides/"); }))
    return std::nullopt;
  Scenario without = scenario;
  without.platform.node_overrides.clear();
  without.platform.link_overrides.clear();
  try {
    return platform_for(without);
  } catch (const UnbuildablePlatform&) { // its mistakes show once the overrides have none
    return std::nullopt;
  }
}

} // namespace

Prepared::Prepared(Scenario scenario)
    : scenario_(std::move(scenario)), platform_(platform_for(scenario_)), id_(scenario_id(scenario_)) {}

Prepared::Prepared(Scenario scenario, std::string id)
    : scenario_(std::move(scenario)), platform_(platform_for(scenario_)), id_(std::move(id)) {}

Prepared::Prepared(Scenario scenario, Platform platform, std::string id)
    : scenario_(std::move(scenario)), platform_(std::move(platform)), id_(std::move(id)) {}

std::string Prepared::canonical() const { return canonical_json(scenario_); }

void Preparation::build_cluster(const Scenario& scenario, std::vector<PlatformError>& errors) {
  platform = built_platform(scenario, errors);
  if (!platform) return;
  Route outside_route;
  const bool outside = platform->route_from_outside(0, outside_route);
  std::ranges::move(traffic_errors(scenario.traffic, scenario.platform.nodes,
                                   scenario.platform.nodes + extra_nodes(scenario), outside),
                    std::back_inserter(errors));
  find_changes(scenario.changes, scenario.platform, *platform, errors);
  std::ranges::move(failure_errors(scenario, *platform), std::back_inserter(errors));
}

std::vector<PlatformError> Preparation::build(const Scenario& scenario, Known known) {
  std::vector<PlatformError> errors;
  if (known == Known::names) return errors;
  build_cluster(scenario, errors);
  if (known == Known::all && errors.empty()) check_calls(scenario, *platform, errors);
  return errors;
}

std::vector<PlatformError> Preparation::build_and_expect(const Scenario& scenario, Known known) {
  auto errors = build(scenario, known);
  if (!errors.empty()) known = platform ? std::min(known, Known::cluster) : Known::names;
  std::ranges::move(expectation_errors(scenario, platform ? &*platform : nullptr, known), std::back_inserter(errors));
  if (known == Known::all && errors.empty() && simulates)
    if (auto refused = too_many_messages(scenario.failures ? simulated_part(scenario) : scenario, *platform, true))
      errors.push_back({"/limits/messages", std::move(*refused)});
  return errors;
}

Prepared Preparation::finish(Scenario scenario, std::string id) {
  return {std::move(scenario), std::move(*platform), std::move(id)};
}

} // namespace gradflight
