// What is left of a scenario without the nodes of servers.
#include "analysis/explore/advice/what_ifs_entries.hpp"
#include "platforms/code/changes.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

/// Leaves out everything that names a node from `nodes` on.
class FewerNodes {
public:
  FewerNodes(const Scenario& scenario, const Json& canonical, int nodes)
      : scenario_(scenario), canonical_(canonical), nodes_(nodes), platform_(without_edges()) {
    for (const DirectedLink& link : platform_.links()) links_.insert(link.name);
  }

  void leave_out(Settings& settings) const {
    const auto put = [&](const char* path, const Json& before, Json left) {
      if (left != before) settings.emplace_back(path, std::move(left));
    };
    if (const Json edges = edges_of(); !edges.empty()) put("platform.network.links", edges, left_edges(edges));
    put("platform.overrides", overrides_of(canonical_), left_overrides(overrides_of(canonical_)));
    put("changes", changes_of(canonical_), left_changes(changes_of(canonical_)));
    const Json traffic = canonical_.value("traffic", Json::array());
    put("traffic", traffic, left_traffic(traffic));
  }

private:
  [[nodiscard]] bool remains(const std::string& end) const {
    return !GraphEdge::is_node(end) || std::stoi(end) < nodes_;
  }
  [[nodiscard]] bool remains(const GraphEdge& edge) const { return remains(edge.from) && remains(edge.to); }

  [[nodiscard]] Platform without_edges() const {
    PlatformSpec plain = scenario_.platform;
    plain.node_overrides.clear();
    plain.link_overrides.clear();
    std::erase_if(plain.network.edges, [&](const GraphEdge& edge) { return !remains(edge); });
    return build_platform(plain, nodes_ - plain.nodes);
  }

  [[nodiscard]] Json edges_of() const { return canonical_.at("platform").at("network").value("links", Json::array()); }
  [[nodiscard]] Json left_edges(const Json& edges) const {
    Json left = Json::array();
    for (std::size_t e = 0; e < edges.size(); ++e)
      if (remains(scenario_.platform.network.edges[e])) left.push_back(edges[e]);
    return left;
  }

  /// Removes the nodes that are left out; returns whether any remains.
  bool trim(std::vector<int>& nodes, Json& entry, const char* key) const {
    if (std::erase_if(nodes, [&](int node) { return node >= nodes_; }) > 0) entry[key] = format_node_numbers(nodes);
    return !nodes.empty();
  }

  [[nodiscard]] Json left_overrides(const Json& overrides) const {
    std::map<std::size_t, std::vector<int>> nodes;
    for (const NodeOverride& entry : scenario_.platform.node_overrides)
      nodes.emplace(static_cast<std::size_t>(entry.entry), entry.nodes);
    Json left = Json::array();
    for (std::size_t i = 0; i < overrides.size(); ++i) {
      Json entry = overrides[i];
      const auto own = nodes.find(i);
      if (own != nodes.end() ? trim(own->second, entry, "nodes") : links_.contains(entry.value("link", "")))
        left.push_back(std::move(entry));
    }
    return left;
  }

  [[nodiscard]] Json left_changes(const Json& changes) const {
    std::vector<ChangeSpec> specs;
    Json trimmed = Json::array();
    for (std::size_t i = 0; i < changes.size(); ++i) {
      ChangeSpec spec = scenario_.changes[i];
      Json entry = changes[i];
      if (!spec.nodes.empty() && !trim(spec.nodes, entry, "nodes")) continue;
      specs.push_back(std::move(spec));
      trimmed.push_back(std::move(entry));
    }
    // The other targets that do not exist now: links, NICs, switches.
    std::vector<PlatformError> errors;
    find_changes(specs, scenario_.platform, platform_, errors);
    std::set<std::size_t> gone;
    for (const PlatformError& error : errors) {
      constexpr std::string_view list = "/changes/";
      const char* end = error.pointer.data() + error.pointer.size();
      std::size_t entry = 0;
      if (error.pointer.starts_with(list)) std::from_chars(error.pointer.data() + list.size(), end, entry);
      gone.insert(entry);
    }
    Json left = Json::array();
    for (std::size_t i = 0; i < trimmed.size(); ++i)
      if (!gone.contains(i)) left.push_back(trimmed[i]);
    return left;
  }

  /// Flows to or from a node that is left out do not exist.
  [[nodiscard]] Json left_traffic(const Json& traffic) const {
    Json left = Json::array();
    for (std::size_t i = 0; i < traffic.size(); ++i) {
      TrafficSpec spec = scenario_.traffic[i];
      Json entry = traffic[i];
      bool any = true;
      for (const auto& [key, end] : {std::pair("from", &spec.from), {"to", &spec.to}})
        any &= end->nodes.empty() || trim(end->nodes, entry, key);
      const bool pair = spec.from.nodes.size() == 1 && spec.to.nodes.size() == 1;
      if (!any || (pair && spec.from.nodes == spec.to.nodes)) continue;
      // Between two nodes, flows of one size that arrive at regular times draw nothing.
      if (pair && spec.arrivals == TrafficSpec::Arrivals::periodic && !spec.sizes &&
          spec.pattern != TrafficSpec::Pattern::permutation)
        entry.erase("seed");
      left.push_back(std::move(entry));
    }
    return left;
  }

  const Scenario& scenario_;
  const Json& canonical_;
  int nodes_;
  Platform platform_;
  std::set<std::string, std::less<>> links_;
};

} // namespace

Settings leave_out_nodes(const Scenario& scenario, const Json& canonical, int nodes) {
  Settings settings;
  try {
    FewerNodes(scenario, canonical, nodes).leave_out(settings);
  } catch (const UnbuildablePlatform&) { // a graph whose other nodes need these ones
  }
  return settings;
}

} // namespace gradflight
