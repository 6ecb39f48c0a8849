#include "analysis/runs/prepared.hpp"

#include "analysis/result/quantity.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "sim/simulate.hpp"

#include <utility>

namespace gradflight {
namespace {

Platform platform_for(const Scenario& scenario) { return build_platform(scenario.platform, extra_nodes(scenario)); }

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
    return {};
  } catch (const UnbuildablePlatform& refused) {
    auto errors = refused.errors();
    for (PlatformError& error : errors) error.pointer = "/platform" + error.pointer;
    return errors;
  }
}

std::vector<PlatformError> Preparation::build_and_expect(const Scenario& scenario) {
  auto errors = build(scenario);
  return errors.empty() ? expectation_errors(scenario, *platform) : errors;
}

Prepared Preparation::finish(Scenario scenario, std::string id) {
  return {std::move(scenario), std::move(*platform), std::move(id)};
}

} // namespace gradflight
