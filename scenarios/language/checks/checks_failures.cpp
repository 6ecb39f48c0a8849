#include "scenarios/language/checks/checks_failures.hpp"

#include "platforms/code/detours.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

namespace {

void check_recovery(const Scenario& scenario, std::vector<Violation>& found) {
  if (!scenario.recovery) return;
  const RecoveryPolicy policy = scenario.recovery->policy;
  const bool states = std::ranges::any_of(scenario.changes, [](const ChangeSpec& c) { return c.up.has_value(); });
  if (!scenario.failures && policy == RecoveryPolicy::restart)
    found.push_back({"/recovery", "policy \"restart\" needs \"failures\""});
  else if (!scenario.failures && !states)
    found.push_back({"/recovery", "\"recovery\" needs \"failures\", or \"changes\" of \"state\""});
  if (loses_messages(scenario) && scenario.platform.protocol)
    found.push_back(
        {"/recovery/policy",
         "this policy cannot be combined with platform.protocol: use policy \"wait\", or leave \"protocol\" out"});
  if (policy == RecoveryPolicy::reroute && !has_detours(scenario.platform.network))
    found.push_back({"/recovery/policy", "this network has only one route between two nodes: use policy \"resend\", or "
                                         "topology \"fat_tree\", \"torus\", \"dragonfly\" or \"graph\""});
  if (policy == RecoveryPolicy::restart && !scenario.jobs.empty())
    found.push_back({"/recovery/policy", "policy \"restart\" supports only one job: use policy \"wait\", \"resend\" or "
                                         "\"reroute\", or leave \"jobs\" out"});
}

/// The job on fewer nodes must be valid, too.
void check_elastic(const Scenario& scenario, std::vector<Violation>& found) {
  const int least = scenario.recovery->least_nodes.value_or(scenario.platform.nodes), all = scenario.platform.nodes;
  const std::string at = "/recovery/least_nodes";
  const auto refuse = [&](bool wrong, const std::string& why) {
    if (wrong) found.push_back({at, why});
  };
  refuse(least > all, fmt::format("must be at most {}, the nodes of the job", all));
  if (least >= all) return;
  refuse(scenario.platform.network.topology == Topology::graph,
         "a graph cannot lose nodes: its links name them; leave \"least_nodes\" out");
  refuse(!scenario.platform.node_overrides.empty() || !scenario.platform.link_overrides.empty(),
         "\"least_nodes\" needs nodes that are all alike: leave it or platform.overrides out");
  constexpr int looked_at = 64;
  if (!found.empty()) return;
  for (int nodes = all - 1; nodes >= least;
       nodes = nodes - least > looked_at ? std::max(least, nodes / 2) : nodes - 1) {
    Scenario fewer = scenario;
    fewer.platform.nodes = nodes;
    fewer.failures.reset();
    fewer.recovery.reset();
    for (Violation& violation : check_scenario(fewer)) {
      violation.message += fmt::format(" (on {} nodes: recovery.least_nodes)", nodes);
      found.push_back(std::move(violation));
    }
    if (!found.empty()) return;
  }
}

} // namespace

void check_failures(const Scenario& scenario, std::vector<Violation>& found) {
  check_recovery(scenario, found);
  if (!scenario.failures) return;
  if (scenario.engine.kind == EngineKind::simgrid)
    found.push_back({"/failures", "the reference engine does not resume messages of a failed link: leave \"failures\" "
                                  "out, or use engine \"hybrid\""});
  for (std::size_t i = 0; i < scenario.changes.size(); ++i)
    if (scenario.changes[i].up)
      found.push_back({fmt::format("/changes/{}/state", i),
                       "\"state\" cannot be combined with \"failures\": leave one of them out"});
  if (!scenario.recovery || scenario.recovery->policy != RecoveryPolicy::restart) return;
  if (scenario.recovery->least_nodes) check_elastic(scenario, found);
  if (!scenario.changes.empty())
    found.push_back({"/changes", "policy \"restart\" assumes that iterations repeat, so changes at given times are not "
                                 "possible: leave \"changes\" out, or use policy \"wait\""});
  if (scenario.phases.size() > 1)
    found.push_back({"/training/warmup",
                     "policy \"restart\" supports only one phase: leave \"warmup\" out, or use policy \"wait\""});
}

} // namespace gradflight
