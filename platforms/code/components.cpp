#include "platforms/code/components.hpp"

#include "platforms/code/changes.hpp"
#include "platforms/code/describe.hpp"
#include "platforms/code/platform.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace gradflight {

const char* component_kind_name(ComponentKind kind) {
  static constexpr std::array<const char*, component_kinds> names = {"node", "GPU", "NIC", "link", "switch"};
  return names[static_cast<std::size_t>(kind)];
}

namespace {

ChangeSpec down() {
  ChangeSpec change;
  change.up = false;
  return change;
}

class ComponentFinder {
public:
  ComponentFinder(const PlatformSpec& spec, const Platform& platform) : spec_(spec), platform_(platform) {}

  void add_kind(ComponentKind kind, std::vector<PlatformError>& errors) {
    const std::size_t before = found_.size();
    switch (kind) {
    case ComponentKind::node: add_nodes(); break;
    case ComponentKind::gpu: add_gpus(); break;
    case ComponentKind::nic: add_nics(errors); return;
    case ComponentKind::link: add_links(); break;
    case ComponentKind::switch_: add_switches(errors); return;
    }
    if (found_.size() == before)
      errors.push_back({fmt::format("/failures/{}s", component_kind_name(kind)),
                        "the platform has none of these components; leave this key out"});
  }

  std::vector<Component> take() {
    std::vector<PlatformError> none; // clashes in time, which do not matter here
    for (const PlatformChange& change : find_changes(entries_, spec_, platform_, none)) {
      Component& component = found_[of_entry_[static_cast<std::size_t>(change.entry)]];
      (change.of_link() ? component.links : component.places).push_back(change.target);
    }
    for (Component& component : found_) {
      component.node = node_of(component);
      std::ranges::sort(component.links);
      std::ranges::sort(component.places);
    }
    return std::move(found_);
  }

private:
  [[nodiscard]] int node_of(const Component& component) const {
    int of = component.number; // links and switches belong to no node
    if (component.kind == ComponentKind::link || component.kind == ComponentKind::switch_) return -1;
    if (component.kind == ComponentKind::gpu) of /= spec_.gpus_per_node;
    if (component.kind == ComponentKind::nic) {
      const int per_node = std::max(1, platform_.nics_per_node()), own = spec_.nodes * per_node;
      of = of < own ? of / per_node : spec_.nodes; // a NIC of an extra node
    }
    return of < spec_.nodes ? of : -1;
  }
  void add(ComponentKind kind, std::int32_t number, ChangeSpec change, const std::string& cable = "") {
    if (found_.empty() || found_.back().kind != kind || found_.back().number != number)
      found_.push_back({kind, number, cable.empty() ? change_target(change) : "link " + cable, {}, {}});
    entries_.push_back(std::move(change));
    of_entry_.push_back(found_.size() - 1);
  }

  void add_nodes() {
    for (int n = 0; n < platform_.nodes(); ++n) {
      ChangeSpec change = down();
      change.nodes = {n};
      add(ComponentKind::node, n, std::move(change));
    }
  }
  void add_gpus() {
    for (int g = 0; g < platform_.gpu_places(); ++g) {
      ChangeSpec change = down();
      change.gpu = g;
      add(ComponentKind::gpu, g, std::move(change));
    }
  }
  void add_nics(std::vector<PlatformError>& errors) {
    if (spec_.network.topology == Topology::graph) {
      errors.push_back({"/failures/nics", "nodes of a graph have links, not NICs: use \"links\""});
      return;
    }
    const int per_node = std::max(1, platform_.nics_per_node());
    std::int32_t number = 0;
    for (int n = 0; n < platform_.nodes(); ++n)
      for (int k = 0; k < (n < spec_.nodes ? per_node : 1); ++k) {
        ChangeSpec change = down();
        change.nic = per_node > 1 && n < spec_.nodes ? fmt::format("node{}.nic{}", n, k) : fmt::format("node{}", n);
        add(ComponentKind::nic, number++, std::move(change));
      }
  }
  void add_links() {
    std::vector<std::string> cables;
    std::unordered_map<std::string, std::vector<std::size_t>> directions;
    for (std::size_t l = 0; l < platform_.network_links(); ++l) {
      std::string cable = cable_name(platform_.links()[l].name);
      auto& of_cable = directions[cable];
      if (of_cable.empty()) cables.push_back(std::move(cable));
      of_cable.push_back(l);
    }
    std::int32_t number = 0;
    for (const std::string& cable : cables) {
      for (const std::size_t l : directions[cable]) {
        ChangeSpec change = down();
        change.link = platform_.links()[l].name;
        add(ComponentKind::link, number, std::move(change), cable);
      }
      ++number;
    }
  }
  void add_switches(std::vector<PlatformError>& errors) {
    const NetworkSpec& network = spec_.network;
    std::vector<std::string> names;
    if (network.topology == Topology::star) names = {"switch"};
    if (network.topology == Topology::racks && network.racks.nodes_per_rack > 0)
      for (int r = 0; r * network.racks.nodes_per_rack < platform_.nodes(); ++r)
        names.push_back(fmt::format("rack{}", r));
    if (network.topology == Topology::graph) names = network.switches;
    if (names.empty()) names = platform_.switch_names();
    if (names.empty()) errors.push_back({"/failures/switches", "the graph has no switches: use \"links\""});
    for (std::size_t i = 0; i < names.size(); ++i) {
      ChangeSpec change = down();
      change.switch_name = names[i];
      add(ComponentKind::switch_, static_cast<std::int32_t>(i), std::move(change));
    }
  }

  const PlatformSpec& spec_;
  const Platform& platform_;
  std::vector<Component> found_;
  std::vector<ChangeSpec> entries_;
  std::vector<std::size_t> of_entry_;
};

} // namespace

std::vector<Component> find_components(const FailureSpec& failures, const PlatformSpec& spec, const Platform& platform,
                                       std::vector<PlatformError>& errors) {
  ComponentFinder finder(spec, platform);
  for (int k = 0; k < component_kinds; ++k)
    if (const auto kind = static_cast<ComponentKind>(k); failures.at(kind)) finder.add_kind(kind, errors);
  return finder.take();
}

} // namespace gradflight
