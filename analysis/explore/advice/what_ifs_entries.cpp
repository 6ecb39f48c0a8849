#include "analysis/explore/advice/what_ifs_entries.hpp"

#include "platforms/code/changes.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/simulate.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

bool scale_rates(Json& entry, double factor) {
  bool any = false;
  for (const char* key : {"bandwidth", "egress_bandwidth", "ingress_bandwidth"})
    if (entry.contains(key)) {
      entry[key] = scaled_quantity(entry[key].get<std::string>(), Dimension::byte_rate, factor);
      any = true;
    }
  return any;
}

/// Finds the links of a scenario's entries.
class FasterEntries {
public:
  FasterEntries(const Scenario& scenario, const Platform& platform, const std::vector<LinkTier>& tiers, double factor)
      : spec_(scenario.platform), platform_(platform), tiers_(tiers), factor_(factor) {
    for (const DirectedLink& link : platform.links()) tier_of_.emplace(link.name, link.role.tier);
  }

  [[nodiscard]] bool wanted(LinkTier tier) const { return std::ranges::find(tiers_, tier) != tiers_.end(); }

  /// Appends an entry, faster if it concerns wanted links; returns whether it does.
  bool add(Json entry, const std::string& link, Json& out) const {
    const auto found = tier_of_.find(link);
    const bool any = found != tier_of_.end() && wanted(found->second) && scale_rates(entry, factor_);
    out.push_back(std::move(entry));
    return any;
  }
  /// Appends an entry about the cables of nodes, faster where they are wanted; returns whether any is.
  bool add(const Json& entry, const std::vector<int>& nodes, Json& out) const {
    std::vector<int> faster, others;
    for (const int node : nodes) (wanted(cable_of(node)) ? faster : others).push_back(node);
    Json scaled = entry;
    if (faster.empty() || !scale_rates(scaled, factor_)) {
      out.push_back(entry);
      return false;
    }
    if (!others.empty()) {
      scaled["nodes"] = format_node_numbers(faster);
      out.push_back(entry);
      out.back()["nodes"] = format_node_numbers(others);
    }
    out.push_back(std::move(scaled));
    return true;
  }
  /// Appends a change of the bandwidth of links, faster where they are wanted; returns whether any is. If it also
  /// concerns other links, each link gets an entry.
  bool add(const Json& entry, const std::set<std::int32_t>& links, Json& out) const {
    const auto is_wanted = [&](std::int32_t link) { return wanted(platform_.link(link).role.tier); };
    const auto faster = std::ranges::count_if(links, is_wanted);
    if (faster == 0 || faster == std::ssize(links)) {
      out.push_back(entry);
      return faster > 0 && scale_rates(out.back(), factor_);
    }
    if (Json rest = without_keys(entry, {"bandwidth"}); has_effect(rest)) out.push_back(std::move(rest));
    for (const std::int32_t link : links) {
      Json own;
      for (const char* key : {"at", "period"})
        if (entry.contains(key)) own[key] = entry[key];
      own["link"] = platform_.link(link).name;
      own["bandwidth"] = entry.at("bandwidth");
      if (is_wanted(link)) scale_rates(own, factor_);
      out.push_back(std::move(own));
    }
    return true;
  }
  /// Returns the cables that the platform's description would make too slow or too fast.
  [[nodiscard]] Json unusual_cables(bool usual_is_faster) const {
    const bool servers = wanted(LinkTier::server) != usual_is_faster;
    const LinkSpec link = nodes_cable(spec_);
    Json entry{{"nodes", servers ? range(spec_.nodes, platform_.nodes()) : range(0, spec_.nodes)}};
    const auto put = [&](const char* key, ByteRate rate) {
      entry[key] = format_quantity(rate.value() * (usual_is_faster ? 1 : factor_), Dimension::byte_rate);
    };
    put("bandwidth", link.bandwidth);
    if (link.egress) put("egress_bandwidth", *link.egress);
    if (link.ingress) put("ingress_bandwidth", *link.ingress);
    return entry;
  }

private:
  static std::string range(int begin, int end) {
    std::vector<int> nodes(static_cast<std::size_t>(end - begin));
    std::iota(nodes.begin(), nodes.end(), begin);
    return format_node_numbers(nodes);
  }
  [[nodiscard]] LinkTier cable_of(int node) const { return node < spec_.nodes ? LinkTier::nic : LinkTier::server; }

  const PlatformSpec& spec_;
  const Platform& platform_;
  const std::vector<LinkTier>& tiers_;
  double factor_;
  std::map<std::string, LinkTier> tier_of_;
};

} // namespace

Json overrides_of(const Json& canonical) { return canonical.at("platform").value("overrides", Json::array()); }
Json changes_of(const Json& canonical) { return canonical.value("changes", Json::array()); }

Json without_keys(Json entry, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) entry.erase(key);
  return entry;
}

bool has_effect(const Json& entry) {
  constexpr std::array values = {
      "bandwidth", "egress_bandwidth", "ingress_bandwidth", "latency", "compute_speed", "reduce_bandwidth", "state"};
  return std::ranges::any_of(values, [&](const char* key) { return entry.contains(key); });
}

LinkSpec nodes_cable(const PlatformSpec& platform) {
  if (platform.node) return platform.node->nic;
  const NetworkSpec& network = platform.network;
  const bool tree = network.topology == Topology::fat_tree;
  return cable_instead_of(network.link, tree ? network.fat_tree.front().link : std::nullopt);
}

std::vector<PlatformChange> link_changes(const Scenario& scenario, const Platform& platform) {
  std::vector<PlatformError> none; // the scenario was valid
  std::vector<PlatformChange> changes = find_changes(scenario.changes, scenario.platform, platform, none);
  std::erase_if(changes, [](const PlatformChange& change) { return !change.of_link(); });
  return changes;
}

std::string scaled_quantity(const std::string& text, Dimension dimension, double factor) {
  return format_quantity(parse_quantity(text, dimension) * factor, dimension);
}

bool separates_servers(const Scenario& scenario, const Platform& platform, const std::vector<LinkTier>& tiers) {
  const PlatformSpec& spec = scenario.platform;
  const bool cables = spec.network.topology != Topology::graph || spec.node;
  const auto wanted = [&](LinkTier tier) { return std::ranges::find(tiers, tier) != tiers.end(); };
  return cables && platform.nodes() > spec.nodes && wanted(LinkTier::nic) != wanted(LinkTier::server);
}

void scale_entries(const Scenario& scenario, const Json& canonical, const Platform& platform,
                   const std::vector<LinkTier>& tiers, double factor, bool usual_is_faster, Settings& settings) {
  const FasterEntries entries(scenario, platform, tiers, factor);
  const PlatformSpec& spec = scenario.platform;
  const Json overrides = overrides_of(canonical);
  Json scaled = Json::array();
  bool any = separates_servers(scenario, platform, tiers);
  if (any) scaled.push_back(entries.unusual_cables(usual_is_faster));
  std::map<int, const NodeOverride*> of_nodes;
  for (const NodeOverride& entry : spec.node_overrides) of_nodes.emplace(entry.entry, &entry);
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const auto found = of_nodes.find(static_cast<int>(i));
    any |= found != of_nodes.end() ? entries.add(overrides[i], found->second->nodes, scaled)
                                   : entries.add(overrides[i], overrides[i].value("link", ""), scaled);
  }
  if (any) settings.emplace_back("platform.overrides", std::move(scaled));

  // The links with a changed bandwidth, by entry.
  std::map<std::size_t, std::set<std::int32_t>> links;
  for (const PlatformChange& change : link_changes(scenario, platform))
    if (change.what == PlatformChange::What::bandwidth)
      links[static_cast<std::size_t>(change.entry)].insert(change.target);
  const Json changes = changes_of(canonical);
  scaled = Json::array();
  any = false;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const bool cables = spec.network.topology != Topology::graph || spec.node; // else all links at a node
    if (const auto& nodes = scenario.changes[i].nodes; !nodes.empty() && cables)
      any |= entries.add(changes[i], nodes, scaled);
    else
      any |= entries.add(changes[i], links[i], scaled);
  }
  if (any) settings.emplace_back("changes", std::move(scaled));
}

void scale_latencies_of_changes(const Json& canonical, double factor, Settings& settings) {
  Json changes = changes_of(canonical);
  bool any = false;
  for (Json& change : changes) {
    if (!change.contains("latency")) continue;
    const auto before = change["latency"].get<std::string>();
    any |= parse_quantity(before, Dimension::time) > 0;
    change["latency"] = scaled_quantity(before, Dimension::time, factor);
  }
  if (any) settings.emplace_back("changes", std::move(changes));
}

Settings faster_reductions(const Json& canonical, double factor) {
  Settings settings;
  const auto scale = [factor](Json& rate) {
    rate = scaled_quantity(rate.get<std::string>(), Dimension::byte_rate, factor);
  };
  if (Json rate = canonical.at("platform").value("reduce_bandwidth", Json()); !rate.is_null()) {
    scale(rate);
    settings.emplace_back("platform.reduce_bandwidth", std::move(rate));
  }
  Json overrides = overrides_of(canonical);
  bool any = false;
  for (Json& entry : overrides)
    if (entry.contains("reduce_bandwidth")) {
      scale(entry["reduce_bandwidth"]);
      any = true;
    }
  if (any) settings.emplace_back("platform.overrides", std::move(overrides));
  return settings;
}

void override_nodes(const Json& canonical, int first, int last, const Json& values, Settings& settings) {
  std::vector<int> nodes(static_cast<std::size_t>(last - first));
  std::iota(nodes.begin(), nodes.end(), first);
  Json entry{{"nodes", format_node_numbers(nodes)}};
  entry.update(values);
  const auto own = std::ranges::find(settings, "platform.overrides", &Settings::value_type::first);
  if (own != settings.end())
    own->second.push_back(std::move(entry));
  else
    for (auto& setting : with_override(canonical, std::move(entry))) settings.push_back(std::move(setting));
}

double median(std::vector<double> speeds) {
  const auto middle = speeds.begin() + std::ssize(speeds) / 2;
  std::ranges::nth_element(speeds, middle);
  return *middle;
}

double median_speed(const Scenario& scenario) {
  std::vector<double> speeds(static_cast<std::size_t>(scenario.platform.nodes), 1.0);
  for (const NodeOverride& change : scenario.platform.node_overrides)
    for (const int node : change.nodes)
      if (change.compute_speed && node < scenario.platform.nodes)
        speeds[static_cast<std::size_t>(node)] = *change.compute_speed;
  return median(std::move(speeds));
}

Settings with_override(const Json& canonical, Json entry) {
  Json overrides = overrides_of(canonical);
  overrides.push_back(std::move(entry));
  return {{"platform.overrides", std::move(overrides)}};
}

} // namespace gradflight
