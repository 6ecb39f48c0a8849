// What-ifs that make slow cables, links and nodes like the others.
#include "analysis/explore/advice/what_ifs_entries.hpp"
#include "platforms/code/changes.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/simulate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

/// Something that is slower than others of its kind, and the keys of the entries that make it so.
struct Defect {
  std::string what; ///< "node 2's cable"
  bool overridden;  ///< the entries are overrides; else changes
  std::vector<std::size_t> entries;
  std::vector<std::string> keys;
};

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

const std::vector<std::string> of_links = {"bandwidth", "egress_bandwidth", "ingress_bandwidth", "latency"};

/// Finds what overrides make slow, each entry separately.
void slow_by_overrides(const Scenario& scenario, std::vector<Defect>& found) {
  const PlatformSpec& spec = scenario.platform;
  const auto add = [&](const std::string& what, int entry, const std::vector<std::string>& keys) {
    found.push_back({what, true, {static_cast<std::size_t>(entry)}, keys});
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
      add(cables_text(entry.nodes, false), entry.entry, of_links);
    // If the platform gives no rate, reduction is free on all other nodes.
    const double usually =
        spec.reduce_bandwidth ? spec.reduce_bandwidth->value() : std::numeric_limits<double>::infinity();
    if (few && slower(entry.reduce_bandwidth, usually))
      add(of_nodes_text(entry.nodes, "reduction", "reductions"), entry.entry, {"reduce_bandwidth"});
    if (few && entry.compute_speed && *entry.compute_speed < speed)
      add(of_nodes_text(entry.nodes, spec.gpus_per_node > 1 ? "GPUs" : "GPU", "GPUs"), entry.entry, {"compute_speed"});
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
      add("the link " + entry.link, entry.entry, of_links);
  }
}

/// Finds what changes make slow: all of one property together, the slower value and its end.
void slow_by_changes(const Scenario& scenario, const Platform& platform, std::vector<Defect>& found) {
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
  for (const auto& [target, what] : slow) found.push_back({what, false, of_target[target], of_links});
}

/// The entries of platform.overrides with the nodes of each; an entry about a link has none. A later entry replaces
/// values of an earlier one.
class Overrides {
public:
  Overrides(const Scenario& scenario, const Json& canonical) : most_nodes_(scenario.platform.nodes) {
    for (const Json& entry : overrides_of(canonical)) entries_.push_back({entry, {}});
    for (const NodeOverride& entry : scenario.platform.node_overrides)
      entries_[static_cast<std::size_t>(entry.entry)].nodes = entry.nodes;
  }

  void remove(const Defect& defect) {
    for (const std::size_t entry : defect.entries)
      entries_[entry].json = without_keys(entries_[entry].json, defect.keys);
  }
  [[nodiscard]] const std::vector<int>& nodes(std::size_t entry) const { return entries_[entry].nodes; }

  /// Returns the values that entries give a node under these keys; rates by direction.
  [[nodiscard]] Json values(int node, const std::vector<std::string>& keys) const {
    Json values = Json::object();
    for (const Entry& entry : entries_) {
      if (std::ranges::find(entry.nodes, node) == entry.nodes.end()) continue;
      for (const std::string& key : keys)
        if (entry.json.contains(key)) {
          const bool both = key == "bandwidth";
          if (both) values["egress_bandwidth"] = values["ingress_bandwidth"] = entry.json[key];
          if (!both) values[key] = entry.json[key];
        }
    }
    return values;
  }
  /// Returns the values that most of the platform's other nodes have.
  [[nodiscard]] Json usual_values(const std::set<int>& except, const std::vector<std::string>& keys) const {
    std::map<std::string, int> count;
    Json usual = Json::object();
    int most = 0;
    for (int node = 0; node < most_nodes_; ++node)
      if (!except.contains(node) && values(node, keys).empty()) ++most;
    for (int node = 0; node < most_nodes_; ++node) {
      if (except.contains(node)) continue;
      Json own = values(node, keys);
      if (const int so_far = ++count[own.dump()]; so_far > most) {
        most = so_far;
        usual = std::move(own);
      }
    }
    return usual;
  }
  /// Gives these nodes these values in place of their own. Other nodes keep theirs.
  void replace(const std::set<int>& nodes, const std::vector<std::string>& keys, Json values) {
    std::vector<Entry> changed;
    for (const Entry& entry : entries_) {
      Entry inside{without_keys(entry.json, keys), {}}, outside{entry.json, {}};
      for (const int node : entry.nodes) (nodes.contains(node) ? inside : outside).nodes.push_back(node);
      if (inside.nodes.empty()) {
        changed.push_back(entry);
        continue;
      }
      for (Entry* part : {&outside, &inside}) {
        if (part->nodes.empty()) continue;
        if (part->nodes.size() < entry.nodes.size()) part->json["nodes"] = format_node_numbers(part->nodes);
        changed.push_back(std::move(*part));
      }
    }
    entries_ = std::move(changed);
    if (values.empty()) return;
    if (values.contains("egress_bandwidth") &&
        values["egress_bandwidth"] == values.value("ingress_bandwidth", Json())) {
      values["bandwidth"] = values["egress_bandwidth"];
      values = without_keys(std::move(values), {"egress_bandwidth", "ingress_bandwidth"});
    }
    std::vector<int> all(nodes.begin(), nodes.end());
    Json entry{{"nodes", format_node_numbers(all)}};
    entry.update(values);
    entries_.push_back({std::move(entry), std::move(all)});
  }
  /// Returns the list without entries that have no effect.
  [[nodiscard]] Json json() const {
    Json list = Json::array();
    for (const Entry& entry : entries_)
      if (has_effect(entry.json)) list.push_back(entry.json);
    return list;
  }

private:
  struct Entry {
    Json json;
    std::vector<int> nodes;
  };
  int most_nodes_;
  std::vector<Entry> entries_;
};

/// Returns platform.overrides with these nodes like most others. Usually, leaving out the entries of the defects does
/// this. If other entries still make the nodes different, the nodes leave them.
Json repaired_overrides(const Scenario& scenario, const Json& canonical, std::span<const Defect> defects) {
  const Overrides before(scenario, canonical);
  Overrides after = before;
  std::map<std::vector<std::string>, std::set<int>> slow;
  for (const Defect& defect : defects) {
    if (!defect.overridden) continue;
    after.remove(defect);
    for (const std::size_t entry : defect.entries)
      slow[defect.keys].insert(before.nodes(entry).begin(), before.nodes(entry).end());
  }
  for (const auto& of_keys : slow) { // clang 14 captures no structured bindings
    const std::vector<std::string>& keys = of_keys.first;
    const std::set<int>& nodes = of_keys.second;
    const Json usual = before.usual_values(nodes, keys);
    const auto differs = [&](const Overrides& overrides) {
      return std::ranges::any_of(nodes, [&](int node) { return overrides.values(node, keys) != usual; });
    };
    if (differs(after) && differs(before)) after.replace(nodes, keys, usual);
  }
  return after.json();
}

/// Returns changes without what makes these slow.
Json repaired_changes(const Json& canonical, std::span<const Defect> defects) {
  Json entries = changes_of(canonical), left = Json::array();
  for (const Defect& defect : defects)
    if (!defect.overridden)
      for (const std::size_t entry : defect.entries) entries[entry] = without_keys(entries[entry], defect.keys);
  for (Json& entry : entries)
    if (has_effect(entry)) left.push_back(std::move(entry));
  return left;
}

/// Returns the lists without what makes these slow; only those that change.
Settings repaired(const Scenario& scenario, const Json& canonical, std::span<const Defect> defects) {
  Settings settings;
  if (Json list = repaired_overrides(scenario, canonical, defects); list != overrides_of(canonical))
    settings.emplace_back("platform.overrides", std::move(list));
  if (Json list = repaired_changes(canonical, defects); list != changes_of(canonical))
    settings.emplace_back("changes", std::move(list));
  return settings;
}

} // namespace

std::vector<Repair> repairs(const Scenario& scenario, const Json& canonical, const Platform& platform) {
  std::vector<Defect> slow;
  slow_by_overrides(scenario, slow);
  slow_by_changes(scenario, platform, slow);
  std::vector<Repair> found;
  for (const Defect& defect : slow)
    found.push_back({defect.what + " like the others", repaired(scenario, canonical, std::span(&defect, 1))});
  if (slow.size() > 1) found.push_back({"all slow parts like the others", repaired(scenario, canonical, slow)});
  return found;
}

} // namespace gradflight
