// Builds places and links from the specification: checks, nodes, network, GPUs, then overrides.
#include "platforms/code/changes.hpp"
#include "platforms/code/ports.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>

namespace gradflight {
namespace {

/// docs/platforms.md: at most a million ranks; servers are extra.
constexpr std::int64_t max_places = 2'000'000;

std::unique_ptr<Fabric> make_fabric(const NetworkSpec& spec, const Terminals& nodes, LinkTable& links,
                                    PlatformErrors& errors) {
  switch (spec.topology) {
  case Topology::star: return make_star(spec, nodes, links, errors);
  case Topology::racks: return make_racks(spec, nodes, links, errors);
  case Topology::fat_tree: return make_fat_tree(spec, nodes, links, errors);
  case Topology::torus: return make_torus(spec, nodes, links, errors);
  case Topology::dragonfly: return make_dragonfly(spec, nodes, links, errors);
  case Topology::graph: return make_graph(spec, nodes, links, errors);
  }
  return nullptr;
}

std::string override_pointer(int entry) { return fmt::format("/overrides/{}", entry); }

void check_speed(const std::optional<double>& speed, const std::string& pointer, PlatformErrors& errors) {
  if (speed && !(std::isfinite(*speed) && *speed > 0))
    errors.push_back({pointer, fmt::format("a compute speed must be above 0, not {}", *speed)});
}

} // namespace

UnbuildablePlatform::UnbuildablePlatform(std::vector<PlatformError> found) : errors_(std::move(found)) {
  for (const auto& error : errors_)
    text_ += fmt::format("{}{}: {}", text_.empty() ? "" : "; ", error.pointer, error.message);
}

class PlatformBuilder {
public:
  PlatformBuilder(const PlatformSpec& spec, int extra_nodes) : spec_(spec), nodes_{spec.nodes, extra_nodes} {}

  Platform build() {
    if (!check_counts()) refuse();
    make_places();
    LinkTable table;
    platform_.ports_->gpus_per_node = spec_.gpus_per_node;
    platform_.ports_->seed = static_cast<std::uint64_t>(spec_.network.routing.seed);
    if (spec_.node)
      make_machines(*spec_.node, table);
    else
      make_nodes(table);
    if (!errors_.empty()) refuse();
    platform_.links_ = std::move(table.links);
    for (const auto& change : spec_.node_overrides) override_nodes(change);
    override_links();
    if (!errors_.empty()) refuse();
    if (spec_.protocol) frame_links(*spec_.protocol);
    return std::move(platform_);
  }

private:
  [[noreturn]] void refuse() { throw UnbuildablePlatform(std::move(errors_)); }

  void make_nodes(LinkTable& table) {
    platform_.ports_->terminals = {.nodes = nodes_};
    platform_.fabric_ = make_fabric(spec_.network, platform_.ports_->terminals, table, errors_);
    platform_.network_links_ = table.links.size();
    platform_.ports_->intra = IntraNode::make(spec_.intra_node, nodes_.own, spec_.gpus_per_node, table, errors_);
  }

  /// Makes nodes that have their own NICs.
  void make_machines(const NodeSpec& node, LinkTable& table) {
    Platform::Ports& ports = *platform_.ports_;
    check_machines(node);
    ports.shape = NodeShape::make(node, errors_);
    if (!errors_.empty()) return;
    ports.terminals = {nodes_, node.nics, true, node.rails, node.rail_oversubscription};
    NetworkSpec network = spec_.network;
    network.link = node.nic;
    platform_.fabric_ = make_fabric(network, ports.terminals, table, errors_);
    platform_.network_links_ = table.links.size();
    if (!errors_.empty()) return;
    const std::vector<DirectedLink>& inner = ports.shape->links();
    const std::int64_t links = times(nodes_.own, std::ssize(inner));
    if (!check_size(links + table.next(), "/node", errors_)) return;
    ports.first_inner = table.next();
    table.links.reserve(table.links.size() + static_cast<std::size_t>(links));
    for (int n = 0; n < nodes_.own; ++n) {
      for (DirectedLink link : inner) {
        link.name = fmt::format("node{}.{}", n, link.name);
        link.role.owner = n;
        table.links.push_back(std::move(link));
      }
    }
    add_switches(node);
  }

  void check_machines(const NodeSpec& node) {
    if (spec_.gpus_per_node != node.gpus)
      errors_.push_back({"/gpus_per_node",
                         fmt::format("{} contradicts \"node\", which has {} GPUs", spec_.gpus_per_node, node.gpus)});
    if (spec_.intra_node.kind != IntraKind::none)
      errors_.push_back({"/intra_node", "not allowed beside \"node\", which already describes the inside of a node"});
    const Topology topology = spec_.network.topology;
    if (node.rails && topology != Topology::star && topology != Topology::racks && topology != Topology::fat_tree)
      errors_.push_back({"/node/rails", "rails need topology star, racks or fat_tree"});
    if (node.sharp && topology != Topology::star)
      errors_.push_back({"/node/sharp", "reduction in the network needs topology star"});
    check_size(times(2, times(node.nics, nodes_.own) + nodes_.extra), "/nodes", errors_);
  }

  void add_switches(const NodeSpec& node) {
    const auto next = [this] { return static_cast<int>(platform_.places_.size()); };
    if (node.nvls) {
      platform_.nvswitches_ = next();
      for (int n = 0; n < nodes_.own; ++n) platform_.places_.push_back({n, -1, 1, 0});
    }
    if (node.sharp) {
      platform_.network_switches_ = next();
      for (int s = 0; s < platform_.fabric_->reducing_switches(); ++s)
        platform_.places_.push_back({nodes_.total(), -1, 1, 0});
    }
  }

  bool check_counts() {
    check_count(nodes_.own, 1, "/nodes", errors_);
    check_count(spec_.gpus_per_node, 1, "/gpus_per_node", errors_);
    check_count(nodes_.extra, 0, "/nodes", errors_);
    const bool counts = errors_.empty();
    check_latency(spec_.message_overhead, "/message_overhead", errors_);
    const Topology topology = spec_.network.topology;
    const RoutingSpec::Kind routing = spec_.network.routing.kind;
    if (routing != RoutingSpec::Kind::by_topology && topology != Topology::fat_tree && topology != Topology::dragonfly)
      errors_.push_back({"/network/routing", fmt::format("\"{}\" needs topology \"fat_tree\" or \"dragonfly\": other "
                                                         "networks have a single shortest route",
                                                         routing == RoutingSpec::Kind::ecmp ? "ecmp" : "adaptive")});
    check_rate(spec_.reduce_bandwidth, "/reduce_bandwidth", errors_);
    if (spec_.protocol) check_protocol(*spec_.protocol);
    if (counts && times(nodes_.own, spec_.gpus_per_node) + nodes_.extra > max_places)
      errors_.push_back(
          {"/nodes", fmt::format("the platform has too many GPUs and servers; at most {} are possible", max_places)});
    return errors_.empty();
  }

  void check_protocol(const ProtocolSpec& protocol) {
    if (protocol.frame_payload > protocol.frame)
      errors_.push_back(
          {"/protocol/frame_payload", fmt::format("must be at most the size of a frame, {} B, not {} B",
                                                  protocol.frame.value(), protocol.frame_payload.value())});
    if (!(protocol.efficiency > 0 && protocol.efficiency <= 1))
      errors_.push_back(
          {"/protocol/efficiency", fmt::format("must be above 0 and at most 1, not {}", protocol.efficiency)});
  }

  /// Turns cables' rates into payload rates.
  void frame_links(const ProtocolSpec& protocol) {
    for (std::size_t l = 0; l < platform_.network_links_; ++l) {
      DirectedLink& link = platform_.links_[l];
      link.bandwidth *= protocol.goodput();
      link.burst = protocol.burst.value() * protocol.goodput();
    }
  }

  void make_places() {
    const double reduce = spec_.reduce_bandwidth ? spec_.reduce_bandwidth->value() : 0;
    platform_.message_overhead_ = spec_.message_overhead.value();
    platform_.gpu_places_ = nodes_.own * spec_.gpus_per_node;
    platform_.nodes_ = nodes_.total();
    platform_.places_.reserve(static_cast<std::size_t>(platform_.gpu_places_) + static_cast<std::size_t>(nodes_.extra));
    for (int n = 0; n < nodes_.own; ++n)
      for (int g = 0; g < spec_.gpus_per_node; ++g) platform_.places_.push_back({n, g, 1, reduce});
    for (int n = nodes_.own; n < nodes_.total(); ++n) platform_.places_.push_back({n, -1, 1, reduce});
  }

  /// Returns the places of a node: [first, last).
  [[nodiscard]] std::pair<int, int> places_of(int node) const {
    if (node >= nodes_.own)
      return {platform_.gpu_places_ + node - nodes_.own, platform_.gpu_places_ + node - nodes_.own + 1};
    return {node * spec_.gpus_per_node, (node + 1) * spec_.gpus_per_node};
  }

  void override_nodes(const NodeOverride& change) {
    const std::string at = override_pointer(change.entry);
    const auto before = errors_.size();
    check_speed(change.compute_speed, at + "/compute_speed", errors_);
    check_rate(change.reduce_bandwidth, at + "/reduce_bandwidth", errors_);
    check_rate(change.bandwidth, at + "/bandwidth", errors_);
    check_rate(change.egress, at + "/egress_bandwidth", errors_);
    check_rate(change.ingress, at + "/ingress_bandwidth", errors_);
    if (change.latency) check_latency(*change.latency, at + "/latency", errors_);
    const bool cable = change.bandwidth || change.egress || change.ingress || change.latency;
    if (cable && platform_.fabric_->cables() == 0)
      errors_.push_back(
          {at, "nodes of a graph have no NIC cable; override a link instead: { \"link\": \"0->1\", ... }"});
    if (change.nodes.empty()) errors_.push_back({at + "/nodes", "expected at least one node"});
    for (const int node : change.nodes)
      if (node < 0 || node >= nodes_.total())
        errors_.push_back(
            {at + "/nodes", fmt::format("node {} does not exist: {} are numbered from 0", node, nodes_.text())});
    if (errors_.size() != before) return;
    for (const int node : change.nodes) override_node(node, change);
  }

  void override_node(int node, const NodeOverride& change) {
    const auto [first, last] = places_of(node);
    for (int p = first; p < last; ++p) {
      Place& place = platform_.places_[static_cast<std::size_t>(p)];
      place.compute_speed = change.compute_speed.value_or(place.compute_speed);
      if (change.reduce_bandwidth) place.reduce_bandwidth = change.reduce_bandwidth->value();
    }
    const auto up = change.egress ? change.egress : change.bandwidth;
    const auto down = change.ingress ? change.ingress : change.bandwidth;
    const Terminals& terminals = platform_.ports_->terminals;
    const int nics = node < nodes_.own ? terminals.per_node : 1;
    for (int k = 0; k < nics; ++k) {
      const std::int32_t up_link = platform_.fabric_->first_cable(terminals.number(node, k));
      for (int c = 0; c < platform_.fabric_->cables(); ++c) {
        change_link(up_link + 2 * c, up, change.latency);
        change_link(up_link + 2 * c + 1, down, change.latency);
      }
    }
  }

  void override_links() {
    if (spec_.link_overrides.empty()) return;
    std::unordered_map<std::string_view, std::int32_t> numbers;
    for (const auto& link : platform_.links_) numbers.emplace(link.name, static_cast<std::int32_t>(numbers.size()));
    for (const auto& change : spec_.link_overrides) {
      const std::string at = override_pointer(change.entry);
      const auto before = errors_.size();
      check_rate(change.bandwidth, at + "/bandwidth", errors_);
      if (change.latency) check_latency(*change.latency, at + "/latency", errors_);
      const auto found = numbers.find(change.link);
      if (found == numbers.end())
        errors_.push_back({at + "/link", fmt::format("unknown link \"{}\"{}", change.link,
                                                     nearest_link_hint(change.link, platform_.links_))});
      if (errors_.size() == before) change_link(found->second, change.bandwidth, change.latency);
    }
  }

  void change_link(std::int32_t link, const std::optional<ByteRate>& bandwidth, const std::optional<Seconds>& latency) {
    DirectedLink& l = platform_.links_[static_cast<std::size_t>(link)];
    if (bandwidth) l.bandwidth = bandwidth->value();
    if (latency) l.latency = latency->value();
  }

  const PlatformSpec& spec_;
  NodeCount nodes_;
  PlatformErrors errors_{};
  Platform platform_{};
};

Platform build_platform(const PlatformSpec& spec, int extra_nodes) {
  return PlatformBuilder(spec, extra_nodes).build();
}

} // namespace gradflight
