#include "analysis/runs/prepared.hpp"

#include "analysis/result/quantity.hpp"
#include "platforms/code/changes.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "sim/message_count.hpp"
#include "sim/simulate.hpp"
#include "sim/training/job_calls.hpp"

#include <fmt/format.h>
#include <utility>

namespace gradflight {
namespace {

Platform platform_for(const Scenario& scenario) { return build_platform(scenario.platform, extra_nodes(scenario)); }

/// Flows beside the job may join the nodes of servers, too: how many there are is known with the platform.
std::vector<PlatformError> traffic_errors(const Scenario& scenario) {
  const int nodes = scenario.platform.nodes + extra_nodes(scenario);
  std::vector<PlatformError> errors;
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i)
    for (const auto& [key, node] : {std::pair("from", scenario.traffic[i].from), {"to", scenario.traffic[i].to}})
      if (node >= nodes)
        errors.push_back({fmt::format("/traffic/{}/{}", i, key),
                          fmt::format("there is no node {}: they are 0 to {}{}", node, nodes - 1,
                                      nodes > scenario.platform.nodes ? ", servers' included" : "")});
  return errors;
}

} // namespace

Prepared::Prepared(Scenario scenario)
    : scenario_(std::move(scenario)), platform_(platform_for(scenario_)), id_(scenario_id(scenario_)) {}

Prepared::Prepared(Scenario scenario, std::string id)
    : scenario_(std::move(scenario)), platform_(platform_for(scenario_)), id_(std::move(id)) {}

Prepared::Prepared(Scenario scenario, Platform platform, std::string id)
    : scenario_(std::move(scenario)), platform_(std::move(platform)), id_(std::move(id)) {}

std::string Prepared::canonical() const { return canonical_json(scenario_); }

std::vector<PlatformError> Preparation::build(const Scenario& scenario) {
  try {
    platform = platform_for(scenario);
    auto errors = traffic_errors(scenario);
    find_changes(scenario.changes, scenario.platform, *platform, errors);
    if (!simulates) return errors;
    for (LibraryProblem& problem : library_problems(scenario))
      errors.push_back({std::move(problem.pointer), std::move(problem.text)});
    return errors;
  } catch (const UnbuildablePlatform& refused) {
    auto errors = refused.errors();
    for (PlatformError& error : errors) error.pointer = "/platform" + error.pointer;
    return errors;
  }
}

std::vector<PlatformError> Preparation::build_and_expect(const Scenario& scenario) {
  auto errors = build(scenario);
  if (errors.empty()) errors = expectation_errors(scenario, *platform);
  if (errors.empty() && simulates)
    if (auto refused = too_many_messages(scenario, *platform, true))
      errors.push_back({"/limits/messages", std::move(*refused)});
  return errors;
}

Prepared Preparation::finish(Scenario scenario, std::string id) {
  return {std::move(scenario), std::move(*platform), std::move(id)};
}

} // namespace gradflight
