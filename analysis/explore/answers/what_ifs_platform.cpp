#include "analysis/explore/answers/what_ifs_platform.hpp"

#include "models/schedules/parts/collective.hpp"
#include "models/units/unit_text.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

std::string times(const std::string& text, Dimension dimension, double factor) {
  return format_quantity(parse_quantity(text, dimension) * factor, dimension);
}
std::string rate(double bytes_per_second) { return format_quantity(bytes_per_second, Dimension::byte_rate); }

/// Null where there is nothing at that place.
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
    put(path, times(value->get<std::string>(), Dimension::byte_rate, factor_));
    return true;
  }
  /// A cable: both directions' rates, and each one's own.
  bool scale_cable(const std::string& path) {
    for (const char* way : {".egress_bandwidth", ".ingress_bandwidth"}) scale_rate(path + way);
    return scale_rate(path + ".bandwidth");
  }
  void scale_number(const std::string& path, double factor) {
    put(path, find(platform_, pointer(path))->get<double>() * factor);
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

double nic_rate(const PlatformSpec& platform) {
  return platform.node ? platform.node->nic.bandwidth.value() : platform.network.link.bandwidth.value();
}

/// The usual cable of the network: with NICs of machines, theirs.
void scale_usual(PlatformChanges& changes) {
  if (!changes.scale_cable("node.nic")) changes.scale_cable("network.link");
  changes.scale_rate("node.nic_total_bandwidth");
}

/// A node's own cable: from it to a switch, or back. NICs with cables of their own have none among a graph's edges.
bool is_cable(const GraphEdge& edge, const PlatformSpec& platform) {
  return !platform.node && GraphEdge::is_node(edge.from) != GraphEdge::is_node(edge.to);
}

/// Cables between switches: `own` where one is described, `usual` where it is as the network's link is.
template <class Own, class Usual>
void for_switch_cables(const PlatformSpec& platform, const PlatformChanges& changes, const Own& own,
                       const Usual& usual) {
  const NetworkSpec& network = platform.network;
  const auto cable = [&](const std::string& path) {
    if (changes.has(path + ".bandwidth"))
      own(path + ".bandwidth");
    else
      usual(path + ".bandwidth");
  };
  if (network.topology == Topology::fat_tree)
    for (std::size_t level = 1; level < network.fat_tree.size(); ++level)
      cable(fmt::format("network.fat_tree.levels.{}.link", level));
  if (network.topology == Topology::dragonfly)
    for (const char* which : {"local", "global"}) cable(fmt::format("network.dragonfly.{}", which));
  if (network.topology == Topology::racks && network.racks.uplink) cable("network.racks.uplink");
}

/// By the key of the network's uplinks that are told as a share of the NICs' rates; empty: there are none.
std::string oversubscription(const PlatformSpec& platform) {
  const Topology topology = platform.network.topology;
  if (topology == Topology::racks && !platform.network.racks.uplink) return "network.racks.oversubscription";
  return topology == Topology::star && platform.node && platform.node->rails ? "node.rail_oversubscription" : "";
}

void scale_edges(const PlatformSpec& platform, bool nics, bool others, PlatformChanges& changes) {
  for (std::size_t e = 0; e < platform.network.edges.size(); ++e)
    if (is_cable(platform.network.edges[e], platform) ? nics : others)
      changes.scale_cable(fmt::format("network.links.{}", e));
}

void scale_nics(const PlatformSpec& platform, PlatformChanges& changes) {
  scale_usual(changes);
  for_switch_cables(
      platform, changes, [](const std::string&) {},
      [&](const std::string& path) { changes.put(path, rate(nic_rate(platform))); });
  if (const std::string share = oversubscription(platform); !share.empty())
    changes.scale_number(share, changes.factor());
}

void scale_uplinks(const PlatformSpec& platform, PlatformChanges& changes) {
  for_switch_cables(
      platform, changes, [&](const std::string& path) { changes.scale_rate(path); },
      [&](const std::string& path) { changes.put(path, rate(nic_rate(platform) * changes.factor())); });
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

/// Which tier an entry of `changes` or of overrides is about, by its keys.
class Targets {
public:
  Targets(const Scenario& scenario, const Platform& platform) : nodes_(scenario.platform.nodes) {
    for (const DirectedLink& link : platform.links()) links_.emplace(link.name, &link);
  }
  [[nodiscard]] LinkTier cable_of(int node) const { return node < nodes_ ? LinkTier::nic : LinkTier::server; }
  /// Null: there is no such link.
  [[nodiscard]] const DirectedLink* link(const std::string& name) const {
    const auto found = links_.find(name);
    return found == links_.end() ? nullptr : found->second;
  }
  [[nodiscard]] bool any_of(const NodeOverride& entry, const std::vector<LinkTier>& tiers) const {
    return std::ranges::any_of(entry.nodes, [&](int node) { return in(tiers, cable_of(node)); });
  }
  [[nodiscard]] bool any_of(const LinkOverride& entry, const std::vector<LinkTier>& tiers) const {
    const DirectedLink* of = link(entry.link);
    return of != nullptr && in(tiers, of->role.tier);
  }
  [[nodiscard]] bool any_of(const ChangeSpec& entry, const std::vector<LinkTier>& tiers) const {
    if (!entry.link.empty()) return any_of(LinkOverride{entry.link, {}, {}}, tiers);
    if (!entry.nic.empty()) return in(tiers, LinkTier::nic) || in(tiers, LinkTier::server);
    if (!entry.switch_name.empty()) return in(tiers, LinkTier::nic) || in(tiers, LinkTier::network);
    return std::ranges::any_of(entry.nodes, [&](int node) { return in(tiers, cable_of(node)); });
  }

private:
  static bool in(const std::vector<LinkTier>& tiers, LinkTier tier) {
    return std::ranges::find(tiers, tier) != tiers.end();
  }
  int nodes_;
  std::map<std::string, const DirectedLink*> links_;
};

/// Overrides' and changes' own rates of these tiers.
void scale_entries(const Scenario& scenario, const Json& canonical, const Targets& targets,
                   const std::vector<LinkTier>& tiers, double factor, Settings& settings) {
  const auto scale = [factor](Json& entry) {
    bool any = false;
    for (const char* key : {"bandwidth", "egress_bandwidth", "ingress_bandwidth"})
      if (entry.contains(key)) {
        entry[key] = times(entry[key].get<std::string>(), Dimension::byte_rate, factor);
        any = true;
      }
    return any;
  };
  Json overrides = canonical.at("platform").value("overrides", Json::array());
  bool any = false;
  const auto scale_override = [&](const auto& entry) {
    if (targets.any_of(entry, tiers)) any |= scale(overrides[static_cast<std::size_t>(entry.entry)]);
  };
  for (const NodeOverride& entry : scenario.platform.node_overrides) scale_override(entry);
  for (const LinkOverride& entry : scenario.platform.link_overrides) scale_override(entry);
  if (any) settings.emplace_back("platform.overrides", std::move(overrides));
  Json changes = canonical.value("changes", Json::array());
  any = false;
  for (std::size_t i = 0; i < scenario.changes.size(); ++i)
    if (targets.any_of(scenario.changes[i], tiers)) any |= scale(changes[i]);
  if (any) settings.emplace_back("changes", std::move(changes));
}

void shorten(const Json& value, const std::string& path, double factor, Settings& settings) {
  for (const auto& [key, inner] : value.items()) {
    const std::string at = path + "." + key;
    if (inner.is_structured()) {
      if (key != "protocol") shorten(inner, at, factor, settings);
    } else if ((key == "latency" || key == "message_overhead") && inner.is_string()) {
      const auto before = inner.get<std::string>();
      if (parse_quantity(before, Dimension::time) > 0)
        settings.emplace_back(at, times(before, Dimension::time, factor));
    }
  }
}

} // namespace

Settings with_override(const Json& canonical, Json entry) {
  Json overrides = canonical.at("platform").value("overrides", Json::array());
  overrides.push_back(std::move(entry));
  return {{"platform.overrides", std::move(overrides)}};
}

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
  if (spec.network.topology == Topology::graph) {
    scale_edges(spec, nics, network, changes);
    if (nics && spec.node) scale_usual(changes);
  } else if (spec.network.topology == Topology::torus) {
    if (nics != network) return {}; // its cables are as fast as the nodes'
    if (nics) scale_usual(changes);
  } else if (nics && network) {
    scale_usual(changes);
    for_switch_cables(
        spec, changes, [&](const std::string& path) { changes.scale_rate(path); }, [](const std::string&) {});
  } else if (nics) {
    scale_nics(spec, changes);
  } else if (network) {
    scale_uplinks(spec, changes);
  }
  if (there(LinkTier::gpu_link)) scale_gpu_links(spec, changes);
  if (there(LinkTier::pcie)) scale_pcie(spec, changes);
  if (there(LinkTier::host))
    for (const char* path : {"node.socket_link.bandwidth", "node.host_memory.bandwidth"}) changes.scale_rate(path);
  const ExchangeSpec& exchange = scenario.phases.back().training.exchange;
  if (there(LinkTier::server)) {
    if (!has_servers(exchange) || spec.node || spec.network.topology == Topology::graph) return {};
    return with_override(canonical, {{"nodes", fmt::format("{}-{}", spec.nodes, platform.nodes() - 1)},
                                     {"bandwidth", rate(nic_rate(spec) * factor)}});
  }
  Settings settings = changes.take();
  scale_entries(scenario, canonical, Targets(scenario, platform), tiers, factor, settings);
  return settings;
}

namespace {

std::string cables_text(const std::vector<int>& nodes) {
  constexpr std::size_t listed = 4;
  if (nodes.size() == 1) return fmt::format("node {}'s cable", nodes.front());
  if (nodes.size() <= listed) return fmt::format("the cables of nodes {}", fmt::join(nodes, ", "));
  return fmt::format("the cables of {} nodes", nodes.size());
}

/// Without these keys, and without entries that then say nothing. Those of an entry's target and time say nothing.
Json without(const Json& entries, const std::vector<std::size_t>& which, const std::vector<const char*>& keys) {
  Json left = Json::array();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Json entry = entries[i];
    if (std::ranges::find(which, i) != which.end())
      for (const char* key : keys) entry.erase(key);
    const auto says = [&](const char* key) { return entry.contains(key); };
    constexpr std::array values = {
        "bandwidth", "egress_bandwidth", "ingress_bandwidth", "latency", "compute_speed", "reduce_bandwidth", "state"};
    if (std::ranges::any_of(values, says)) left.push_back(std::move(entry));
  }
  return left;
}

/// The largest rate of the links that are built like this one.
double usual_rate(const Platform& platform, const LinkRole& role) {
  double usual = 0;
  for (const DirectedLink& link : platform.links())
    if (same_kind(link.role, role)) usual = std::max(usual, link.bandwidth);
  return usual;
}

} // namespace

Settings changes_without(const Json& canonical, const std::vector<const char*>& keys) {
  const Json changes = canonical.value("changes", Json::array());
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (std::ranges::any_of(keys, [&](const char* key) { return changes[i].contains(key); })) which.push_back(i);
  if (which.empty()) return {};
  return {{"changes", without(changes, which, keys)}};
}

std::vector<Repair> repairs(const Scenario& scenario, const Json& canonical, const Platform& platform) {
  std::vector<Repair> found;
  const PlatformSpec& spec = scenario.platform;
  const Targets targets(scenario, platform);
  const double usual = nic_rate(spec);
  const auto few = [&](const std::vector<int>& nodes) { return 2 * std::ssize(nodes) <= spec.nodes; };
  const auto slower = [](const std::optional<ByteRate>& own, double than) { return own && own->value() < than; };
  const Json overrides = canonical.at("platform").value("overrides", Json::array());
  const auto repair = [&](const std::string& what, const Json& entries, const std::string& path,
                          const std::vector<std::size_t>& which) {
    found.push_back(
        {what + " like the others",
         {{path, without(entries, which, {"bandwidth", "egress_bandwidth", "ingress_bandwidth", "latency"})}}});
  };
  for (const NodeOverride& entry : spec.node_overrides)
    if (few(entry.nodes) &&
        (slower(entry.bandwidth, usual) || slower(entry.egress, usual) || slower(entry.ingress, usual)))
      repair(cables_text(entry.nodes), overrides, "platform.overrides", {static_cast<std::size_t>(entry.entry)});
  for (const LinkOverride& entry : spec.link_overrides)
    if (const DirectedLink* link = targets.link(entry.link);
        link != nullptr && slower(entry.bandwidth, usual_rate(platform, link->role)))
      repair("the link " + entry.link, overrides, "platform.overrides", {static_cast<std::size_t>(entry.entry)});
  // All changes of the same thing together: what makes it slower and what ends that.
  std::map<std::string, std::vector<std::size_t>> of_target;
  std::map<std::string, std::string> slow;
  for (std::size_t i = 0; i < scenario.changes.size(); ++i) {
    const ChangeSpec& change = scenario.changes[i];
    const DirectedLink* link = targets.link(change.link);
    const std::string target = change.link + change.nic + fmt::format("{}", fmt::join(change.nodes, ","));
    if (target.empty()) continue;
    of_target[target].push_back(i);
    if (link != nullptr && slower(change.bandwidth, usual_rate(platform, link->role)))
      slow[target] = "the link " + change.link;
    else if (!change.nic.empty() && slower(change.bandwidth, usual))
      slow[target] = change.nic + "'s cable";
    else if (!change.nodes.empty() && few(change.nodes) && slower(change.bandwidth, usual))
      slow[target] = cables_text(change.nodes);
  }
  for (const auto& [target, what] : slow)
    repair(what, canonical.value("changes", Json::array()), "changes", of_target[target]);
  return found;
}

Settings shorter_latencies(const Json& canonical, double factor) {
  Settings settings;
  shorten(canonical.at("platform"), "platform", factor, settings);
  return settings;
}

} // namespace gradflight
