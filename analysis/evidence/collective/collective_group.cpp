#include "analysis/evidence/collective/collective_group.hpp"

#include "analysis/run/prepared.hpp"
#include "base/input_file.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "sim/group/plain_group.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight {

namespace {

/// Returns a scenario with the platform; its training is never run. A machine of the catalogue gets the number of nodes
/// from the request.
Scenario scenario_of(const CollectiveRequest& request, std::optional<int> nodes) {
  using Json = nlohmann::json;
  Json platform = request.platform;
  if (names_file(request.platform))
    platform = std::filesystem::absolute(request.platform).string();
  else if (!catalogued_name(request.platform, machine_names()).empty())
    platform = {{"machine", request.platform}, {"nodes", nodes.value_or(1)}}; // the loader reports any other text
  const Json scenario = {{"platform", platform},
                         {"workload", {{"tensors", {{{"name", "vector"}, {"bytes", "4B"}}}}}},
                         {"training", {{"exchange", {{"algorithm", "ring"}}}}}};
  return parse_changed_scenario(scenario.dump(-1, ' ', false, Json::error_handler_t::replace), "--platform",
                                {request.sets, {}, {}}, [](const Scenario& s) { return Preparation().build(s); });
}

struct GroupShape {
  int nodes = 0, gpus = 0;
};

std::string nodes_assignment(int nodes) { return fmt::format("platform.nodes={}", nodes); }

/// Whether the platform of the request also works with this number of nodes: some networks have a number of their own.
bool may_have(CollectiveRequest request, int nodes) {
  request.sets.push_back(nodes_assignment(nodes));
  try {
    scenario_of(request, std::nullopt);
    return true;
  } catch (const InputErrors&) {
    return false;
  }
}

/// Returns the number of nodes and of GPUs per node. `gpus` is the number of GPUs per node of the platform. `most` is
/// the largest number of nodes; absent: no limit.
GroupShape group_shape(const CollectiveRequest& request, int gpus, std::optional<int> most) {
  std::vector<std::string> wrong;
  const auto positive = [&](const std::optional<int>& value, const char* option) {
    if (value && *value < 1) wrong.push_back(fmt::format("{} {}: must be at least 1", option, *value));
  };
  positive(request.ranks, "--ranks");
  positive(request.nodes, "--nodes");
  positive(request.gpus_per_node, "--gpus-per-node");
  refuse(std::move(wrong));
  wrong.clear();
  GroupShape shape;
  shape.gpus = request.gpus_per_node.value_or(gpus);
  if (request.nodes) {
    shape.nodes = *request.nodes;
    if (request.ranks && !request.gpus_per_node && *request.ranks % shape.nodes == 0)
      shape.gpus = *request.ranks / shape.nodes;
  } else if (request.ranks) {
    if (!request.gpus_per_node && *request.ranks < shape.gpus) shape.gpus = *request.ranks;
    shape.nodes = (*request.ranks - 1) / shape.gpus + 1;
  } else {
    shape.nodes = most.value_or(1);
  }
  if (request.ranks && *request.ranks != shape.nodes * shape.gpus)
    wrong.push_back(
        fmt::format("--ranks {} does not match {} nodes of {} GPUs each: every node must have the same number of ranks",
                    *request.ranks, shape.nodes, shape.gpus));
  if (shape.gpus > gpus)
    wrong.push_back(fmt::format("{} GPUs per node are requested, but a node has {}", shape.gpus, gpus));
  if (most && shape.nodes > *most)
    wrong.push_back(fmt::format(
        "{} nodes are requested, but the platform has {}{}", shape.nodes, *most,
        may_have(request, shape.nodes) ? fmt::format("; add --set {}", nodes_assignment(shape.nodes)) : ""));
  refuse(std::move(wrong));
  wrong.clear();
  return shape;
}

} // namespace

void refuse(std::vector<std::string> mistakes) {
  if (mistakes.empty()) return;
  std::vector<Diagnostic> found;
  for (std::string& mistake : mistakes) found.push_back({"gradflight collective", 0, 0, "", std::move(mistake)});
  throw InputErrors(std::move(found));
}

CollectiveGroup make_group(const CollectiveRequest& request) {
  const bool file = names_file(request.platform);
  Scenario scenario = scenario_of(request, request.nodes);
  const int gpus = build_platform(scenario.platform, 0).gpus_per_node();
  const GroupShape shape = group_shape(request, gpus, file ? std::optional(scenario.platform.nodes) : std::nullopt);
  if (!file && shape.nodes != scenario.platform.nodes) scenario = scenario_of(request, shape.nodes);
  CollectiveGroup group{scenario.platform, build_platform(scenario.platform, 0), {}, shape.nodes, shape.gpus, {}};
  group.name = scenario.platform.name.empty() ? name_of(request.platform) : scenario.platform.name;
  for (int node = 0; node < shape.nodes; ++node)
    for (int gpu = 0; gpu < shape.gpus; ++gpu) group.places.push_back(node * gpus + gpu);
  return group;
}

FormLinks CollectiveGroup::links(int element_size) const { return links_between(platform, places, element_size); }

} // namespace gradflight
