#include "analysis/explore/answers/what_ifs_entries.hpp"

#include "platforms/code/changes.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/simulate.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
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

/// Removes these keys, and entries that then have no effect.
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

/// Returns the cable of the nodes' NICs without overrides.
LinkSpec nodes_cable(const PlatformSpec& platform) {
  if (platform.node) return platform.node->nic;
  const NetworkSpec& network = platform.network;
  const bool tree = network.topology == Topology::fat_tree;
  return cable_instead_of(network.link, tree ? network.fat_tree.front().link : std::nullopt);
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
    if (Json rest = without(Json::array({entry}), {0}, {"bandwidth"}); !rest.empty()) out.push_back(rest.front());
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

/// Returns each entry's changes of links on the built platform. Rates are payload rates, as in the platform.
std::vector<PlatformChange> link_changes(const Scenario& scenario, const Platform& platform) {
  std::vector<PlatformError> none; // the scenario was valid
  std::vector<PlatformChange> changes = find_changes(scenario.changes, scenario.platform, platform, none);
  std::erase_if(changes, [](const PlatformChange& change) { return !change.of_link(); });
  return changes;
}

} // namespace

Json overrides_of(const Json& canonical) { return canonical.at("platform").value("overrides", Json::array()); }
Json changes_of(const Json& canonical) { return canonical.value("changes", Json::array()); }

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

double median_speed(const Scenario& scenario) {
  std::vector<double> speeds(static_cast<std::size_t>(scenario.platform.nodes), 1.0);
  for (const NodeOverride& change : scenario.platform.node_overrides)
    for (const int node : change.nodes)
      if (change.compute_speed && node < scenario.platform.nodes)
        speeds[static_cast<std::size_t>(node)] = *change.compute_speed;
  const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
  std::ranges::nth_element(speeds, middle);
  return *middle;
}

Settings with_override(const Json& canonical, Json entry) {
  Json overrides = overrides_of(canonical);
  overrides.push_back(std::move(entry));
  return {{"platform.overrides", std::move(overrides)}};
}

namespace {

/// "node 2's cable", "the cables of nodes 2, 3".
std::string of_nodes_text(const std::vector<int>& nodes, const char* one, const char* several) {
  constexpr std::size_t listed = 4;
  if (nodes.size() == 1) return fmt::format("node {}'s {}", nodes.front(), one);
  if (nodes.size() <= listed) return fmt::format("the {} of nodes {}", several, fmt::join(nodes, ", "));
  return fmt::format("the {} of {} nodes", several, nodes.size());
}

/// In a graph nodes may have several cables, so the text says "links".
std::string cables_text(const std::vector<int>& nodes, bool graph) {
  return graph ? of_nodes_text(nodes, "links", "links") : of_nodes_text(nodes, "cable", "cables");
}

const std::vector<const char*> of_links = {"bandwidth", "egress_bandwidth", "ingress_bandwidth", "latency"};

/// Repairs overrides, each entry separately.
void repair_overrides(const Scenario& scenario, const Json& canonical, std::vector<Repair>& found) {
  const PlatformSpec& spec = scenario.platform;
  const Json overrides = overrides_of(canonical);
  const auto repair = [&](const std::string& what, int entry, const std::vector<const char*>& keys) {
    found.push_back({what + " like the others",
                     {{"platform.overrides", without(overrides, {static_cast<std::size_t>(entry)}, keys)}}});
  };
  const auto slower = [](const std::optional<ByteRate>& own, double than) { return own && own->value() < than; };
  const LinkSpec usual = nodes_cable(spec);
  const double up = usual.egress.value_or(usual.bandwidth).value(),
               down = usual.ingress.value_or(usual.bandwidth).value();
  const Seconds latency = usual.latency.value_or(Seconds());
  const double speed = median_speed(scenario);
  for (const NodeOverride& entry : spec.node_overrides) {
    const bool few = 2 * std::ssize(entry.nodes) <= spec.nodes;
    if (few &&
        (slower(entry.egress ? entry.egress : entry.bandwidth, up) ||
         slower(entry.ingress ? entry.ingress : entry.bandwidth, down) || entry.latency.value_or(latency) > latency))
      repair(cables_text(entry.nodes, false), entry.entry, of_links);
    // If the platform gives no rate, reduction is free on all other nodes.
    const double usually =
        spec.reduce_bandwidth ? spec.reduce_bandwidth->value() : std::numeric_limits<double>::infinity();
    if (few && slower(entry.reduce_bandwidth, usually))
      repair(of_nodes_text(entry.nodes, "reduction", "reductions"), entry.entry, {"reduce_bandwidth"});
    if (few && entry.compute_speed && *entry.compute_speed < speed)
      repair(of_nodes_text(entry.nodes, spec.gpus_per_node > 1 ? "GPUs" : "GPU", "GPUs"), entry.entry,
             {"compute_speed"});
  }
  if (spec.link_overrides.empty()) return;
  PlatformSpec plain = spec;
  plain.node_overrides.clear();
  plain.link_overrides.clear();
  plain.protocol.reset(); // links then have the cables' rates, as overrides do
  const Platform platform = build_platform(plain, extra_nodes(scenario));
  std::map<std::string, const DirectedLink*> links;
  for (const DirectedLink& link : platform.links()) links.emplace(link.name, &link);
  for (const LinkOverride& entry : spec.link_overrides) {
    const DirectedLink& link = *links.at(entry.link);
    if (slower(entry.bandwidth, link.bandwidth) || (entry.latency && entry.latency->value() > link.latency))
      repair("the link " + entry.link, entry.entry, of_links);
  }
}

/// Repairs changes: all of one property together, the slower value and its end.
void repair_changes(const Scenario& scenario, const Json& canonical, const Platform& platform,
                    std::vector<Repair>& found) {
  const PlatformSpec& spec = scenario.platform;
  std::map<std::string, std::vector<std::size_t>> of_target;
  const auto target_of = [](const ChangeSpec& change) {
    return change.link + change.nic + fmt::format("{}", fmt::join(change.nodes, ","));
  };
  for (std::size_t i = 0; i < scenario.changes.size(); ++i) of_target[target_of(scenario.changes[i])].push_back(i);
  std::map<std::string, std::string> slow;
  for (const PlatformChange& one : link_changes(scenario, platform)) {
    const DirectedLink& link = platform.link(one.target);
    const bool slower = one.what == PlatformChange::What::bandwidth
                            ? one.value < link.bandwidth
                            : one.what == PlatformChange::What::latency && one.value > link.latency;
    if (!slower) continue;
    const ChangeSpec& change = scenario.changes[static_cast<std::size_t>(one.entry)];
    const std::string target = target_of(change);
    if (!change.link.empty())
      slow[target] = "the link " + change.link;
    else if (!change.nic.empty())
      slow[target] =
          (change.nic.find('.') == std::string::npos ? "node " + change.nic.substr(4) : change.nic) + "'s cable";
    else if (!change.nodes.empty() && 2 * std::ssize(change.nodes) <= spec.nodes)
      slow[target] = cables_text(change.nodes, spec.network.topology == Topology::graph && !spec.node);
  }
  for (const auto& [target, what] : slow)
    found.push_back(
        {what + " like the others", {{"changes", without(changes_of(canonical), of_target[target], of_links)}}});
}

} // namespace

Settings changes_without(const Json& canonical, const std::vector<const char*>& keys) {
  const Json changes = changes_of(canonical);
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (std::ranges::any_of(keys, [&](const char* key) { return changes[i].contains(key); })) which.push_back(i);
  if (which.empty()) return {};
  return {{"changes", without(changes, which, keys)}};
}

std::vector<Repair> repairs(const Scenario& scenario, const Json& canonical, const Platform& platform) {
  std::vector<Repair> found;
  repair_overrides(scenario, canonical, found);
  repair_changes(scenario, canonical, platform, found);
  return found;
}

} // namespace gradflight
