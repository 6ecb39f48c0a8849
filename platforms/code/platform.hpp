// A cluster as values: places for ranks, directed links, and the route between any two places.
//
// Pure: no SimGrid, no JSON. Routes are computed, not stored (O(links) memory for any number of places).
#pragma once

#include "models/collectives/nic_pair.hpp"
#include "platforms/code/link_role.hpp"
#include "platforms/code/spec/spec.hpp"

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct DirectedLink {
  std::string name;     ///< "node3.up" (away from the node), "node3.down", "rack1.up", "node0.gpu2.up", ...
  double bandwidth = 0; ///< payload bytes per second, > 0: under a protocol, what framing leaves of the cable's rate
  double latency = 0;   ///< seconds, >= 0
  double burst = 0;     ///< payload bytes that pass at once after enough idle time
  LinkRole role{};
};

/// Indices into Platform::links(), in the order in which a message crosses them.
using Route = boost::container::small_vector<std::int32_t, 12>;

/// Where a rank can be: GPU `gpu` of node `node`, or the host itself (gpu = -1) of an extra node. A switch that reduces
/// data is also a place: its routes use the links up to it, and the links down from it.
struct Place {
  int node = 0; ///< for a network's switch: one beyond the last node
  int gpu = -1;
  double compute_speed = 1;    ///< divides the workload's compute times
  double reduce_bandwidth = 0; ///< bytes per second; 0: reduction is free
};

/// An error that only the built shape shows: too few places, no route, an unknown link. `pointer` is the JSON pointer,
/// relative to the platform, of the wrong value.
struct PlatformError {
  std::string pointer, message;
};

/// Thrown by build_platform.
class UnbuildablePlatform : public std::exception {
public:
  explicit UnbuildablePlatform(std::vector<PlatformError> found); ///< not empty
  [[nodiscard]] const std::vector<PlatformError>& errors() const { return errors_; }
  /// All errors in one line.
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
  std::vector<PlatformError> errors_;
  std::string text_;
};

/// The routing rule of a topology between node ports; see topology_*.cpp.
class Fabric;
struct NetworkGraph;

class Platform {
public:
  Platform(Platform&&) noexcept;
  Platform& operator=(Platform&&) noexcept;
  ~Platform();

  /// First nodes * gpus_per_node GPUs, node by node, then one host place for each extra node, then the switches.
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] const std::vector<DirectedLink>& links() const { return links_; }
  [[nodiscard]] const Place& place(int number) const { return places_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const DirectedLink& link(std::int32_t number) const { return links_[static_cast<std::size_t>(number)]; }
  /// The first links are the network's; those within the nodes follow.
  [[nodiscard]] std::size_t network_links() const { return network_links_; }
  [[nodiscard]] int gpu_places() const { return gpu_places_; }
  /// Number of machines, including extra nodes.
  [[nodiscard]] int nodes() const { return nodes_; }
  [[nodiscard]] int gpus_per_node() const;
  [[nodiscard]] int first_place(int node) const {
    const int per_node = gpus_per_node(), own = gpu_places_ / per_node;
    return node < own ? node * per_node : gpu_places_ + node - own;
  }

  // Only for a platform with `node` in its spec; others do not distinguish NICs and switches.
  /// NICs per node (extra nodes have one); 0 without `node`.
  [[nodiscard]] int nics_per_node() const;
  /// The NICs, numbered within the node, that GPU `gpu` of any node uses; empty without `node`.
  [[nodiscard]] std::vector<int> nics_of(int gpu) const;
  /// The NIC, numbered in its node, by which a message from place `from` leaves for place `to` of another node. It
  /// arrives by `nic(to, from)`. -1 without `node`.
  [[nodiscard]] int nic(int from, int to) const;
  /// The NVSwitch of a node, if it reduces (NodeSpec::nvls). Only the node's own GPUs have routes to and from it.
  [[nodiscard]] std::optional<int> nvswitch_place(int node) const;
  /// The network's switch, if it reduces (NodeSpec::sharp): one, or one per rail. NVSwitches have no routes to it.
  [[nodiscard]] std::optional<int> network_switch_place(int rail = 0) const;
  [[nodiscard]] double message_overhead() const { return message_overhead_; }

  /// Replaces `out` by the links from place `from` to place `to`. Empty if no link lies between (same place, or GPUs of
  /// one node without an intra-node network). Between nodes the route uses these NICs, which may differ from nic()'s;
  /// nic() replaces a NIC that does not exist or that its GPU cannot reach.
  void route(int from, int to, Route& out, NicPair nics = {}) const;

  /// Appends a route from one terminal of the network to another; returns false if none exists.
  using Across = std::function<bool(int from, int to, Route& out)>;
  /// Like route(), with `across` in place of the network's own rule. Returns false if that finds none.
  bool route_by(int from, int to, const Across& across, Route& out, NicPair nics = {}) const;
  /// The network as a graph; see fabric.hpp. Returns false if only one route leads from any terminal to another.
  bool network_graph(NetworkGraph& graph) const;

  /// The route between a place and the world beyond the network's topmost switches (of a star, racks, a fat tree).
  /// Returns false if no such world exists: tori, dragonflies, graphs.
  bool route_from_outside(int to, Route& out) const;
  bool route_to_outside(int from, Route& out) const;

  /// Names of switches that the network's shape implies: "sw1-0" of a fat tree, "router0" of a torus, "group0.router1"
  /// of a dragonfly. For stars, racks and graphs, the links' names identify the switches.
  [[nodiscard]] std::vector<std::string> switch_names() const;
  /// Every link to or from one of these switches, by its index among the names.
  [[nodiscard]] Route links_at_switch(int number) const;

  /// message_overhead + the latencies along the route (seconds), and the smallest bandwidth on it (bytes per second,
  /// infinity for an empty route).
  struct Cost {
    double alpha, bandwidth;
  };
  [[nodiscard]] Cost cost(int from, int to) const;

private:
  friend class PlatformBuilder;
  Platform();
  std::vector<Place> places_;
  std::vector<DirectedLink> links_;
  std::size_t network_links_ = 0;
  int gpu_places_ = 0, nodes_ = 0;
  int nvswitches_ = -1, network_switches_ = -1; ///< the first place of each kind; -1: none
  double message_overhead_ = 0;
  struct Ports; // per node and GPU: first link ids
  template <class AcrossNetwork>
  bool lay_route(int from, int to, NicPair nics, const AcrossNetwork& across, Route& out) const;
  template <class AcrossNetwork>
  bool route_between_nics(int from, int to, NicPair nics, const AcrossNetwork& across, Route& out) const;
  [[nodiscard]] std::uint64_t flow(int from, int to) const;
  std::unique_ptr<Ports> ports_;
  std::unique_ptr<Fabric> fabric_;
};

/// Builds the platform with `extra_nodes` host places in addition to the spec's nodes (servers, aggregators). Throws
/// UnbuildablePlatform with every error found.
Platform build_platform(const PlatformSpec& spec, int extra_nodes);

} // namespace gradflight
