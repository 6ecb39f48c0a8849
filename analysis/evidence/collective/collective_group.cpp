#include "analysis/evidence/collective/collective_group.hpp"

#include "base/human.hpp"
#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

namespace {

/// A machine of the catalogue gets this number of nodes.
PlatformSpec platform_of(const CollectiveRequest& request, std::optional<int> nodes) {
  const bool file = names_file(request.platform);
  return load_changed_platform(file ? absolute_path(request.platform).string() : request.platform,
                               file ? std::nullopt : std::optional(nodes.value_or(1)), request.sets, "--platform");
}

struct GroupShape {
  int nodes = 0, gpus = 0;
};

std::string nodes_assignment(int nodes) { return fmt::format("platform.nodes={}", nodes); }

/// Whether the platform of the request also works with this number of nodes: some networks have a number of their own.
bool may_have(CollectiveRequest request, int nodes) {
  request.sets.push_back(nodes_assignment(nodes));
  try {
    platform_of(request, std::nullopt);
    return true;
  } catch (const InputErrors&) {
    return false;
  }
}

/// Returns the number of nodes and of GPUs per node. `nodes` and `gpus` are those of the platform. `most` is the
/// largest number of nodes; absent: no limit.
GroupShape group_shape(const CollectiveRequest& request, int nodes, int gpus, std::optional<int> most) {
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
    shape.nodes = nodes;
  }
  const bool uneven = request.ranks && *request.ranks != shape.nodes * shape.gpus;
  if (uneven) {
    const bool divisible = !request.nodes && !request.gpus_per_node && *request.ranks % shape.nodes == 0;
    wrong.push_back(fmt::format("--ranks {} cannot be dealt evenly to {} of {} GPUs each{}", *request.ranks,
                                counted(shape.nodes, "node"), shape.gpus,
                                divisible ? fmt::format("; add --nodes {}", shape.nodes) : ""));
  }
  if (shape.gpus > gpus)
    wrong.push_back(fmt::format("{} GPUs per node are requested, but a node has {}", shape.gpus, gpus));
  if (most && shape.nodes > *most && !uneven)
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
  PlatformSpec spec = platform_of(request, request.nodes);
  const int gpus = spec.gpus_per_node;
  const GroupShape shape = group_shape(request, spec.nodes, gpus, file ? std::optional(spec.nodes) : std::nullopt);
  if (!file && shape.nodes != spec.nodes) spec = platform_of(request, shape.nodes);
  if (spec.nodes < shape.nodes)
    refuse({fmt::format("{} nodes are requested, but --set gives the platform {}", shape.nodes, spec.nodes)});
  CollectiveGroup group{spec, build_platform(spec, 0), {}, shape.nodes, shape.gpus, {}};
  group.name = spec.name.empty() ? name_of(request.platform) : spec.name;
  for (int node = 0; node < shape.nodes; ++node)
    for (int gpu = 0; gpu < shape.gpus; ++gpu) group.places.push_back(node * gpus + gpu);
  return group;
}

} // namespace gradflight
