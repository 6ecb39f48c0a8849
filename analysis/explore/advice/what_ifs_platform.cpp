#include "analysis/explore/advice/what_ifs_platform.hpp"

#include "models/units/unit_text.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

std::string rate(double bytes_per_second) { return format_quantity(bytes_per_second, Dimension::byte_rate); }

/// Null if the pointer leads to no value.
const Json* find(const Json& from, const std::string& pointer) {
  const Json::json_pointer at(pointer);
  return from.contains(at) ? &from.at(at) : nullptr;
}

/// Paths of a platform's values, collected as settings.
class PlatformChanges {
public:
  PlatformChanges(const Json& canonical, double factor) : platform_(canonical.at("platform")), factor_(factor) {}

  bool scale_rate(const std::string& path) {
    const Json* value = find(platform_, pointer(path));
    if (value == nullptr) return false;
    put(path, scaled_quantity(value->get<std::string>(), Dimension::byte_rate, factor_));
    return true;
  }
  /// Scales a cable: the common rate and each direction's own.
  bool scale_cable(const std::string& path) {
    for (const char* way : {".egress_bandwidth", ".ingress_bandwidth"}) scale_rate(path + way);
    return scale_rate(path + ".bandwidth");
  }
  void scale_number(const std::string& path, double factor) {
    put(path, find(platform_, pointer(path))->get<double>() * factor);
  }
  /// Puts a cable of its own at a path where the description has none.
  void put_cable(const std::string& path, const LinkSpec& cable, double factor) {
    put(path + ".bandwidth", rate(cable.bandwidth.value() * factor));
    if (cable.egress) put(path + ".egress_bandwidth", rate(cable.egress->value() * factor));
    if (cable.ingress) put(path + ".ingress_bandwidth", rate(cable.ingress->value() * factor));
  }
  void put(const std::string& path, Json value) { settings_.emplace_back("platform." + path, std::move(value)); }
  [[nodiscard]] bool has(const std::string& path) const { return find(platform_, pointer(path)) != nullptr; }
  [[nodiscard]] const Json& platform() const { return platform_; }
  [[nodiscard]] double factor() const { return factor_; }
  Settings take() { return std::move(settings_); }

private:
  static std::string pointer(const std::string& path) {
    std::string text = "/" + path;
    std::ranges::replace(text, '.', '/');
    return text;
  }
  const Json& platform_;
  double factor_;
  Settings settings_;
};

/// Returns the cable of switches that have no description of their own.
const LinkSpec& usual_link(const PlatformSpec& platform) {
  return platform.node ? platform.node->nic : platform.network.link;
}

/// Scales the usual cable of the network; if machines have NICs, theirs.
void scale_usual(PlatformChanges& changes) {
  if (!changes.scale_cable("node.nic")) changes.scale_cable("network.link");
  changes.scale_rate("node.nic_total_bandwidth");
}

/// Whether the nodes' cables have a description of their own, apart from the network's link: level 0 of a fat tree.
bool has_leaf_cables(const PlatformSpec& platform) {
  const NetworkSpec& network = platform.network;
  return network.topology == Topology::fat_tree && network.fat_tree.front().link.has_value();
}
constexpr const char* leaf_cables = "network.fat_tree.levels.0.link";

/// Returns the tier of a graph's edge: a cable of a node or server to a switch, or a link of the network. If NICs have
/// their own cables, all edges belong to the network.
LinkTier tier_of(const GraphEdge& edge, const PlatformSpec& platform) {
  const bool from = GraphEdge::is_node(edge.from), to = GraphEdge::is_node(edge.to);
  if (platform.node || from == to) return LinkTier::network;
  return std::stoi(from ? edge.from : edge.to) < platform.nodes ? LinkTier::nic : LinkTier::server;
}

/// Calls `own` with the path of each cable between switches that is described, `usual` with those of the others: they
/// are like the network's link.
template <class Own, class Usual>
void for_switch_cables(const PlatformSpec& platform, const PlatformChanges& changes, const Own& own,
                       const Usual& usual) {
  const NetworkSpec& network = platform.network;
  const auto cable = [&](const std::string& path) {
    if (changes.has(path + ".bandwidth"))
      own(path);
    else
      usual(path);
  };
  if (network.topology == Topology::fat_tree)
    for (std::size_t level = 1; level < network.fat_tree.size(); ++level)
      cable(fmt::format("network.fat_tree.levels.{}.link", level));
  if (network.topology == Topology::dragonfly)
    for (const char* which : {"local", "global"}) cable(fmt::format("network.dragonfly.{}", which));
  if (network.topology == Topology::racks && network.racks.uplink) cable("network.racks.uplink");
}

/// Returns the key of uplinks given as a share of the NICs' rates; empty if the network has none.
std::string oversubscription(const PlatformSpec& platform) {
  const Topology topology = platform.network.topology;
  if (topology == Topology::racks && !platform.network.racks.uplink) return "network.racks.oversubscription";
  return topology == Topology::star && platform.node && platform.node->rails ? "node.rail_oversubscription" : "";
}

void scale_edges(const PlatformSpec& platform, const std::vector<LinkTier>& tiers, PlatformChanges& changes) {
  for (std::size_t e = 0; e < platform.network.edges.size(); ++e)
    if (std::ranges::find(tiers, tier_of(platform.network.edges[e], platform)) != tiers.end())
      changes.scale_cable(fmt::format("network.links.{}", e));
}

void scale_nics(const PlatformSpec& platform, PlatformChanges& changes) {
  if (has_leaf_cables(platform)) {
    changes.scale_cable(leaf_cables);
    return; // the network's link is only that of other levels
  }
  scale_usual(changes);
  for_switch_cables(
      platform, changes, [](const std::string&) {},
      [&](const std::string& path) { changes.put_cable(path, usual_link(platform), 1); });
  if (const std::string share = oversubscription(platform); !share.empty())
    changes.scale_number(share, changes.factor());
}

void scale_uplinks(const PlatformSpec& platform, PlatformChanges& changes) {
  for_switch_cables(
      platform, changes, [&](const std::string& path) { changes.scale_cable(path); },
      [&](const std::string& path) { changes.put_cable(path, usual_link(platform), changes.factor()); });
  if (const std::string share = oversubscription(platform); !share.empty())
    changes.scale_number(share, 1 / changes.factor());
}

void scale_gpu_links(const PlatformSpec& platform, PlatformChanges& changes) {
  if (!platform.node) {
    if (platform.intra_node.kind == IntraKind::nvlink) changes.scale_cable("intra_node.link");
    return;
  }
  const NodeSpec& node = *platform.node;
  const double links = node.intra == NodeFabric::nvswitch ? node.gpu.links : 1;
  if (!changes.scale_rate("node.link.bandwidth") && node.intra != NodeFabric::pcie && node.gpu.links > 0)
    changes.put("node.link.bandwidth", rate(node.gpu.link_payload().value() * links * changes.factor()));
}

void scale_pcie(const PlatformSpec& platform, PlatformChanges& changes) {
  if (!platform.node) {
    if (platform.intra_node.kind == IntraKind::pcie) changes.scale_cable("intra_node.link");
    changes.scale_cable("intra_node.uplink");
    return;
  }
  if (!changes.scale_rate("node.pcie.bandwidth"))
    changes.put("node.pcie.bandwidth", rate(platform.node->gpu.to_host().value() * changes.factor()));
  changes.scale_rate("node.switch_uplink.bandwidth");
}

void shorten(const Json& value, const std::string& path, double factor, Settings& settings) {
  for (const auto& [key, inner] : value.items()) {
    const std::string at = path + "." + key;
    if (inner.is_structured()) {
      if (key != "protocol") shorten(inner, at, factor, settings);
    } else if ((key == "latency" || key == "uplink_latency" || key == "message_overhead") && inner.is_string()) {
      const auto before = inner.get<std::string>();
      if (parse_quantity(before, Dimension::time) > 0)
        settings.emplace_back(at, scaled_quantity(before, Dimension::time, factor));
    }
  }
}

} // namespace

Settings faster_links(const Scenario& scenario, const Json& canonical, const Platform& platform,
                      const std::vector<LinkTier>& tiers, double factor) {
  PlatformChanges changes(canonical, factor);
  const PlatformSpec& spec = scenario.platform;
  const auto wanted = [&](LinkTier tier) { return std::ranges::find(tiers, tier) != tiers.end(); };
  const auto there = [&](LinkTier tier) {
    return wanted(tier) &&
           std::ranges::any_of(platform.links(), [&](const DirectedLink& l) { return l.role.tier == tier; });
  };
  if (std::ranges::none_of(tiers, there)) return {};
  const bool nics = there(LinkTier::nic), network = there(LinkTier::network);
  const bool apart = separates_servers(scenario, platform, tiers);
  const bool torus = spec.network.topology == Topology::torus;
  if (spec.network.topology == Topology::graph) {
    scale_edges(spec, tiers, changes);
    if (nics && spec.node && !apart) scale_usual(changes);
  } else if (torus) {
    if (nics != network) return {}; // its cables are as fast as the nodes'
    if (nics) scale_usual(changes);
  } else if (nics && network && !apart && !has_leaf_cables(spec)) {
    scale_usual(changes);
    for_switch_cables(
        spec, changes, [&](const std::string& path) { changes.scale_cable(path); }, [](const std::string&) {});
  } else {
    if (nics && !apart) scale_nics(spec, changes);
    if (network) scale_uplinks(spec, changes);
  }
  if (nics && apart && !torus) changes.scale_rate("node.nic_total_bandwidth");
  if (there(LinkTier::gpu_link)) scale_gpu_links(spec, changes);
  if (there(LinkTier::pcie)) scale_pcie(spec, changes);
  if (there(LinkTier::host))
    for (const char* path : {"node.socket_link.bandwidth", "node.host_memory.bandwidth"}) changes.scale_rate(path);
  Settings settings = changes.take();
  scale_entries(scenario, canonical, platform, tiers, factor, torus && nics, settings);
  return settings;
}

Settings shorter_latencies(const Json& canonical, double factor) {
  Settings settings;
  shorten(canonical.at("platform"), "platform", factor, settings);
  scale_latencies_of_changes(canonical, factor, settings);
  return settings;
}

Settings adaptive_routing(const NetworkSpec& network) {
  if (network.routing.kind == RoutingSpec::Kind::adaptive) return {};
  const auto parallel = [](const FatTreeLevel& level) { return level.up > 1 || level.cables > 1; };
  const bool tree = network.topology == Topology::fat_tree && !parallel(network.fat_tree.front()) &&
                    std::ranges::any_of(network.fat_tree, parallel);
  const bool dragonfly = network.topology == Topology::dragonfly && network.dragonfly.global_cables > 1;
  return tree || dragonfly ? Settings{{"platform.network.routing", "adaptive"}} : Settings{};
}

} // namespace gradflight
