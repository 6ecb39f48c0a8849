#include "platforms/code/changes.hpp"

#include "base/nearest_name.hpp"
#include "base/parse_number.hpp"
#include "platforms/code/platform.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace gradflight {

std::string nearest_link_hint(const std::string& name, const std::vector<DirectedLink>& links) {
  const std::string owner = name.substr(0, name.find('.')) + '.';
  std::vector<std::string> all, siblings;
  for (const DirectedLink& link : links) {
    all.push_back(link.name);
    if (link.name.starts_with(owner)) siblings.push_back(link.name);
  }
  std::string near = nearest_name(name, siblings);
  if (near.empty()) near = nearest_name(name, all);
  return near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near);
}

namespace {

using What = PlatformChange::What;
using Links = std::vector<std::int32_t>;

/// Returns the number after `prefix`, written without leading zeros; -1 if `text` is something else.
int number_behind(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix)) return -1;
  text.remove_prefix(prefix.size());
  const auto number = parse_number<int>(text);
  return number && std::to_string(*number) == text ? *number : -1;
}

/// Finds the links of a platform by name, and those of its network by their role.
class LinkIndex {
public:
  explicit LinkIndex(const Platform& platform) {
    const std::vector<DirectedLink>& links = platform.links();
    for (std::size_t l = 0; l < links.size(); ++l) {
      const auto number = static_cast<std::int32_t>(l);
      const LinkRole& role = links[l].role;
      numbers_.emplace(links[l].name, number);
      if (l >= platform.network_links()) continue;
      if (role.type == LinkType::cable) cables_[role.owner].push_back(number);
      if (role.type == LinkType::cable && role.nic >= 0) nics_[{role.owner, role.nic}].push_back(number);
      if (role.type == LinkType::uplink) uplinks_[role.owner].push_back(number);
      if (role.type != LinkType::edge) continue;
      edges_[role.owner].push_back(number);
      edges_[role.to].push_back(number);
    }
  }
  [[nodiscard]] Links link(const std::string& name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? Links() : Links{found->second};
  }
  [[nodiscard]] Links cables_of(int node) const { return find(cables_, node); }
  [[nodiscard]] Links of_nic(int node, int nic) const { return find(nics_, std::pair(node, nic)); }
  [[nodiscard]] Links of_rack(int rack) const { return find(uplinks_, rack); }
  /// Returns the links to and from a vertex of a graph.
  [[nodiscard]] Links at_vertex(int vertex) const { return find(edges_, vertex); }

private:
  template <class Key> static Links find(const std::map<Key, Links>& all, const Key& key) {
    const auto found = all.find(key);
    return found == all.end() ? Links() : found->second;
  }
  std::unordered_map<std::string_view, std::int32_t> numbers_;
  std::map<int, Links> cables_, uplinks_, edges_;
  std::map<std::pair<int, int>, Links> nics_;
};

class Finder {
public:
  Finder(const PlatformSpec& spec, const Platform& platform, std::vector<PlatformError>& errors)
      : spec_(spec), platform_(platform), index_(platform), errors_(errors) {}

  void find(const ChangeSpec& change, std::size_t entry, std::vector<PlatformChange>& found) {
    at_ = fmt::format("/changes/{}", entry);
    const Links links = links_of(change);
    PlatformChange one;
    one.at = change.times().at;
    one.period = change.times().period;
    one.entry = static_cast<std::int32_t>(entry);
    const auto add = [&](What what, std::int32_t target, double value) {
      one.what = what;
      one.target = target;
      one.value = value;
      found.push_back(one);
    };
    for (const std::int32_t link : links) {
      if (change.bandwidth) add(What::bandwidth, link, payload_rate(link, change.bandwidth->value()));
      if (change.latency) add(What::latency, link, change.latency->value());
      if (change.up) add(What::link_state, link, *change.up ? 1 : 0);
    }
    if (!change.compute_speed && !change.up) return;
    for (const std::int32_t place : places_of(change)) {
      if (change.compute_speed) add(What::compute_speed, place, *change.compute_speed);
      if (change.up) add(What::place_state, place, *change.up ? 1 : 0);
    }
  }

private:
  void fail(const std::string& key, std::string message) { errors_.push_back({at_ + key, std::move(message)}); }

  /// Returns the payload rate: under a protocol, the network's links carry less payload than their rate.
  [[nodiscard]] double payload_rate(std::int32_t link, double rate) const {
    const bool network = static_cast<std::size_t>(link) < platform_.network_links();
    return spec_.protocol && network ? rate * spec_.protocol->goodput() : rate;
  }

  Links links_of(const ChangeSpec& change) {
    if (!change.link.empty()) {
      Links links = index_.link(change.link);
      if (links.empty())
        fail("/link",
             fmt::format("unknown link \"{}\"{}", change.link, nearest_link_hint(change.link, platform_.links())));
      return links;
    }
    if (!change.nic.empty()) {
      Links links = links_of_nic(change.nic);
      if (links.empty())
        fail("/nic",
             fmt::format(
                 "unknown NIC \"{}\": NICs are called \"node0\", ..., or \"node0.nic0\", ... where nodes have several",
                 change.nic));
      return links;
    }
    if (!change.switch_name.empty()) return links_of_switch(change.switch_name);
    Links links;
    if (!change.bandwidth && !change.latency && !change.up) return links;
    // The nodes of a graph have no cables, so every link at a node belongs to it.
    const bool graph = spec_.network.topology == Topology::graph && platform_.nics_per_node() == 0;
    for (const int node : change.nodes) {
      if (node >= platform_.nodes()) continue; // extra nodes: handled by places_of() or below
      append(links, graph ? index_.at_vertex(node) : index_.cables_of(node));
    }
    if (!change.compute_speed && !change.up) check_nodes(change);
    return links;
  }

  /// Returns the links of all NICs of node 3 for "node3", of one NIC for "node3.nic1".
  [[nodiscard]] Links links_of_nic(const std::string& name) const {
    const auto dot = name.find('.');
    const int node = number_behind("node", std::string_view(name).substr(0, dot));
    if (node < 0) return {};
    if (dot == std::string::npos) return index_.cables_of(node);
    const int nic = number_behind("nic", std::string_view(name).substr(dot + 1));
    return nic < 0 ? Links() : index_.of_nic(node, nic);
  }

  /// Returns the vertex of a graph's switch: after those of the nodes, or of their NICs.
  [[nodiscard]] int vertex_of_switch(std::size_t number) const {
    const int nics = platform_.nics_per_node();
    const int ends = nics > 0 ? platform_.nodes() + spec_.nodes * (nics - 1) : platform_.nodes();
    return ends + static_cast<int>(number);
  }

  void check_nodes(const ChangeSpec& change) {
    for (const int node : change.nodes)
      if (node >= platform_.nodes())
        fail("/nodes", fmt::format("node {} does not exist: nodes are 0 to {}{}", node, platform_.nodes() - 1,
                                   platform_.nodes() > spec_.nodes ? ", including servers" : ""));
  }

  /// Finds the only switch of a star, the switches of racks, a graph's named ones, and those that the shape implies.
  Links links_of_switch(const std::string& name) {
    const NetworkSpec& network = spec_.network;
    Links links;
    if (network.topology == Topology::star && name == "switch") {
      for (int node = 0; node < platform_.nodes(); ++node) append(links, index_.cables_of(node));
    } else if (const int rack = number_behind("rack", name); network.topology == Topology::racks && rack >= 0) {
      append(links, index_.of_rack(rack));
      const int size = network.racks.nodes_per_rack;
      for (int node = rack * size; !links.empty() && node < std::min((rack + 1) * size, platform_.nodes()); ++node)
        append(links, index_.cables_of(node));
    } else if (const auto own = std::ranges::find(network.switches, name);
               network.topology == Topology::graph && own != network.switches.end()) {
      append(links, index_.at_vertex(vertex_of_switch(static_cast<std::size_t>(own - network.switches.begin()))));
    } else if (const auto names = platform_.switch_names(); std::ranges::find(names, name) != names.end()) {
      const auto at = platform_.links_at_switch(static_cast<int>(std::ranges::find(names, name) - names.begin()));
      links.assign(at.begin(), at.end());
    }
    if (!links.empty()) return links;
    std::string known = "switches are \"sw1-0\", ... (level, number)";
    if (network.topology == Topology::torus) known = "switches are \"router0\", \"router1\", ...";
    if (network.topology == Topology::dragonfly) known = "switches are \"group0.router0\", ...";
    if (network.topology == Topology::star) known = "a star has one switch, \"switch\"";
    if (network.topology == Topology::racks) known = "switches are \"rack0\", \"rack1\", ...";
    if (network.topology == Topology::graph) known = "switches are those of platform.network.switches";
    const std::string near =
        nearest_name(name, network.topology == Topology::graph ? network.switches : platform_.switch_names());
    fail("/switch", fmt::format("unknown switch \"{}\": {}{}", name, known,
                                near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    return links;
  }

  static void append(Links& all, const Links& more) { all.insert(all.end(), more.begin(), more.end()); }

  std::vector<std::int32_t> places_of(const ChangeSpec& change) {
    std::vector<std::int32_t> places;
    if (!change.link.empty() || !change.nic.empty() || !change.switch_name.empty()) return places;
    if (change.gpu) {
      if (*change.gpu < platform_.gpu_places())
        places.push_back(*change.gpu);
      else
        fail("/gpu", fmt::format("GPU {} does not exist: GPUs are 0 to {}", *change.gpu, platform_.gpu_places() - 1));
      return places;
    }
    check_nodes(change);
    for (std::size_t p = 0; p < platform_.places().size(); ++p)
      if (std::ranges::binary_search(change.nodes, platform_.places()[p].node))
        places.push_back(static_cast<std::int32_t>(p));
    return places;
  }

  const PlatformSpec& spec_;
  const Platform& platform_;
  LinkIndex index_;
  std::vector<PlatformError>& errors_;
  std::string at_;
};

/// Changes of one property must have different times, and must all occur once or all have one period.
void check_clashes(const std::vector<PlatformChange>& found, const Platform& platform,
                   std::vector<PlatformError>& errors) {
  std::map<std::tuple<What, std::int32_t>, const PlatformChange*> last;
  std::int32_t told = -1; // reports only one of a node's many links
  for (const PlatformChange& change : found) {
    const PlatformChange*& before = last[{change.what, change.target}];
    if (before != nullptr && change.entry != told) {
      const std::string thing = changed_thing(change, platform);
      if (before->period != change.period) {
        errors.push_back(
            {fmt::format("/changes/{}", change.entry),
             fmt::format(
                 "{} changes with another period in entry {}: give all changes of it the same \"period\", or none",
                 thing, before->entry)});
        told = change.entry;
      } else if (before->at == change.at) {
        errors.push_back({fmt::format("/changes/{}", change.entry),
                          fmt::format("{} already changes at {} s in entry {}", thing, change.at, before->entry)});
        told = change.entry;
      }
    }
    before = &change;
  }
}

} // namespace

std::vector<PlatformChange> find_changes(const std::vector<ChangeSpec>& changes, const PlatformSpec& spec,
                                         const Platform& platform, std::vector<PlatformError>& errors) {
  std::vector<PlatformChange> found;
  if (changes.empty()) return found;
  Finder finder(spec, platform, errors);
  for (std::size_t i = 0; i < changes.size(); ++i) finder.find(changes[i], i, found);
  std::ranges::stable_sort(found, {}, &PlatformChange::at);
  check_clashes(found, platform, errors);
  return found;
}

std::string format_node_numbers(const std::vector<int>& nodes) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size();) {
    auto j = i;
    while (j + 1 < nodes.size() && nodes[j + 1] == nodes[j] + 1) ++j;
    text += fmt::format("{}{}", text.empty() ? "" : ",", nodes[i]);
    if (j > i) text += fmt::format("-{}", nodes[j]);
    i = j + 1;
  }
  return text;
}

std::string change_target(const ChangeSpec& change) {
  if (!change.link.empty()) return change.link;
  if (!change.nic.empty()) return "NIC " + change.nic;
  if (change.switch_name == "switch") return "the switch"; // a star's
  if (!change.switch_name.empty()) return "switch " + change.switch_name;
  if (change.gpu) return fmt::format("GPU {}", *change.gpu);
  return fmt::format("node{} {}", change.nodes.size() > 1 ? "s" : "", format_node_numbers(change.nodes));
}

std::string changed_thing(const PlatformChange& change, const Platform& platform) {
  if (change.of_link()) return fmt::format("the link {}", platform.link(change.target).name);
  const Place& place = platform.place(change.target);
  return place.gpu < 0 ? fmt::format("node {}", place.node) : fmt::format("GPU {} of node {}", place.gpu, place.node);
}

} // namespace gradflight
