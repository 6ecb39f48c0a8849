#include "analysis/answers/what_ifs_platform.hpp"

#include "models/units/unit_text.hpp"
#include "sim/schedules/parts/collective.hpp"

#include <algorithm>
#include <fmt/format.h>

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
  if (!changes.scale_rate("node.nic.bandwidth")) changes.scale_rate("network.link.bandwidth");
}

bool joins_node(const GraphEdge& edge) {
  const auto is_node = [](const std::string& end) {
    return !end.empty() && end.find_first_not_of("0123456789") == std::string::npos;
  };
  return is_node(edge.from) || is_node(edge.to);
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

void scale_nics(const PlatformSpec& platform, PlatformChanges& changes) {
  if (platform.network.topology == Topology::graph) {
    for (std::size_t e = 0; e < platform.network.edges.size(); ++e)
      if (joins_node(platform.network.edges[e])) changes.scale_rate(fmt::format("network.links.{}.bandwidth", e));
    return;
  }
  scale_usual(changes);
  for_switch_cables(
      platform, changes, [](const std::string&) {},
      [&](const std::string& path) { changes.put(path, rate(nic_rate(platform))); });
  if (platform.network.topology == Topology::racks && !platform.network.racks.uplink)
    changes.scale_number("network.racks.oversubscription", changes.factor());
}

void scale_uplinks(const PlatformSpec& platform, PlatformChanges& changes) {
  if (platform.network.topology == Topology::graph)
    for (std::size_t e = 0; e < platform.network.edges.size(); ++e)
      if (!joins_node(platform.network.edges[e])) changes.scale_rate(fmt::format("network.links.{}.bandwidth", e));
  for_switch_cables(
      platform, changes, [&](const std::string& path) { changes.scale_rate(path); },
      [&](const std::string& path) { changes.put(path, rate(nic_rate(platform) * changes.factor())); });
  if (platform.network.topology == Topology::racks && !platform.network.racks.uplink)
    changes.scale_number("network.racks.oversubscription", 1 / changes.factor());
}

void scale_inner(const PlatformSpec& platform, PlatformChanges& changes) {
  if (!platform.node) {
    changes.scale_rate("intra_node.link.bandwidth");
    changes.scale_rate("intra_node.uplink.bandwidth");
    return;
  }
  const NodeSpec& node = *platform.node;
  const bool linked = node.intra != NodeFabric::pcie && node.gpu.links > 0;
  const double links = node.intra == NodeFabric::nvswitch ? node.gpu.links : 1;
  if (!changes.scale_rate("node.link.bandwidth") && linked)
    changes.put("node.link.bandwidth", rate(node.gpu.link_payload().value() * links * changes.factor()));
  if (!changes.scale_rate("node.pcie.bandwidth"))
    changes.put("node.pcie.bandwidth", rate(node.gpu.to_host().value() * changes.factor()));
  changes.scale_rate("node.socket_link.bandwidth");
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

Settings faster_links(const Scenario& scenario, const Json& canonical, Bounding part, double factor) {
  PlatformChanges changes(canonical, factor);
  const PlatformSpec& platform = scenario.platform;
  const ExchangeSpec& exchange = scenario.phases.back().training.exchange;
  switch (part) {
  case Bounding::nic: scale_nics(platform, changes); break;
  case Bounding::uplink: scale_uplinks(platform, changes); break;
  case Bounding::intra_node:
    if (platform.gpus_per_node > 1) scale_inner(platform, changes);
    break;
  case Bounding::server:
    if (!has_servers(exchange) || exchange.colocated || platform.node) break;
    return with_override(canonical,
                         {{"nodes", fmt::format("{}-{}", platform.nodes, platform.nodes + exchange.servers - 1)},
                          {"bandwidth", rate(nic_rate(platform) * factor)}});
  default: break;
  }
  return changes.take();
}

Settings faster_network(const Scenario& scenario, const Json& canonical, double factor) {
  PlatformChanges changes(canonical, factor);
  if (scenario.platform.network.topology == Topology::graph) {
    for (std::size_t e = 0; e < scenario.platform.network.edges.size(); ++e)
      changes.scale_rate(fmt::format("network.links.{}.bandwidth", e));
    return changes.take();
  }
  scale_usual(changes);
  for_switch_cables(
      scenario.platform, changes, [&](const std::string& path) { changes.scale_rate(path); },
      [](const std::string&) {});
  return changes.take();
}

Settings shorter_latencies(const Json& canonical, double factor) {
  Settings settings;
  shorten(canonical.at("platform"), "platform", factor, settings);
  return settings;
}

} // namespace gradflight
