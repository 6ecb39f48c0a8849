// A cluster as values: places where ranks live, directed links, and the route between any two places.
//
// Pure: no SimGrid, no JSON. Routes are computed, not stored (O(links) memory whatever the number of places).
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
  double burst = 0;     ///< payload bytes that pass at once where the link was idle long enough
  LinkRole role{};
};

/// Indices into Platform::links(), in the order in which a message crosses them.
using Route = boost::container::small_vector<std::int32_t, 12>;

/// Where a rank can live: GPU `gpu` of node `node`, or the host itself (gpu = -1) of an extra node. A switch that
/// reduces what it is sent is a place, too: it is reached over the links up to it, and left over those down.
struct Place {
  int node = 0; ///< of a network's switch: one beyond the last node
  int gpu = -1;
  double compute_speed = 1;    ///< compute times of the workload are divided by it
  double reduce_bandwidth = 0; ///< bytes per second; 0: reduction is free
};

/// What only the built shape can tell: places do not suffice, no route, an unknown link. `pointer` is the JSON pointer,
/// relative to the platform, of the value at fault.
struct PlatformError {
  std::string pointer, message;
};

/// Thrown by build_platform.
class UnbuildablePlatform : public std::exception {
public:
  explicit UnbuildablePlatform(std::vector<PlatformError> found); ///< not empty
  [[nodiscard]] const std::vector<PlatformError>& errors() const { return errors_; }
  /// All of them, in one line.
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
  std::vector<PlatformError> errors_;
  std::string text_;
};

/// The routing rule of one topology between node ports; see topology_*.cpp.
class Fabric;
struct NetworkGraph;

class Platform {
public:
  Platform(Platform&&) noexcept;
  Platform& operator=(Platform&&) noexcept;
  ~Platform();

  /// First nodes * gpus_per_node GPUs, node by node, then one host place for each extra node, then the switches'.
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] const std::vector<DirectedLink>& links() const { return links_; }
  [[nodiscard]] const Place& place(int number) const { return places_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] const DirectedLink& link(std::int32_t number) const { return links_[static_cast<std::size_t>(number)]; }
  /// The first of them are the network's; those within the nodes follow.
  [[nodiscard]] std::size_t network_links() const { return network_links_; }
  [[nodiscard]] int gpu_places() const { return gpu_places_; }
  /// Machines, extra nodes included.
  [[nodiscard]] int nodes() const { return nodes_; }
  [[nodiscard]] int gpus_per_node() const;
  /// The first of a node's places.
  [[nodiscard]] int first_place(int node) const {
    const int per_node = gpus_per_node(), own = gpu_places_ / per_node;
    return node < own ? node * per_node : gpu_places_ + node - own;
  }

  // Of a platform whose spec has `node`; otherwise no NICs and no switches are told apart.
  /// NICs of each node (extra ones have one); 0 without `node`.
  [[nodiscard]] int nics_per_node() const;
  /// The NICs, numbered within the node, that GPU `gpu` of any node uses; empty without `node`.
  [[nodiscard]] std::vector<int> nics_of(int gpu) const;
  /// The NIC of its node by which a message from place `from` to place `to` of another node leaves; the one by which
  /// it arrives is `nic(to, from)`. -1 without `node`.
  [[nodiscard]] int nic(int from, int to) const;
  /// The NVSwitch of a node, where it reduces (NodeSpec::nvls). Only the node's own GPUs have routes to and from it.
  [[nodiscard]] std::optional<int> nvswitch_place(int node) const;
  /// The network's switch, where it reduces (NodeSpec::sharp): one, or with rails one for each. NVSwitches have no
  /// routes to it.
  [[nodiscard]] std::optional<int> network_switch_place(int rail = 0) const;
  [[nodiscard]] double message_overhead() const { return message_overhead_; }

  /// Replaces `out` by the links from place `from` to place `to`. Empty where no link lies between (same place, or
  /// GPUs of one node without an intra-node network). Between nodes it goes by these NICs, which need not be nic()'s;
  /// a NIC that its GPU cannot reach, or that is not there, is left to nic().
  void route(int from, int to, Route& out, NicPair nics = {}) const;

  /// A way from one terminal of the network to another, appended to the route; false: there is none.
  using Across = std::function<bool(int from, int to, Route& out)>;
  /// As route(), with `across` in place of the network's own rule. False where that found none.
  bool route_by(int from, int to, const Across& across, Route& out, NicPair nics = {}) const;
  /// The network as a graph; see fabric.hpp. False where only one way leads from any terminal to another.
  bool network_graph(NetworkGraph& graph) const;

  /// Likewise between a place and what lies beyond the network's topmost switches (a star's, racks', a fat tree's).
  /// False where nothing does: tori, dragonflies, graphs.
  bool route_from_outside(int to, Route& out) const;
  bool route_to_outside(int from, Route& out) const;

  /// Switches that the network's shape implies: "sw1-0" of a fat tree, "router0" of a torus, "group0.router1" of a
  /// dragonfly. Those of stars, racks and graphs are known by the names of their links.
  [[nodiscard]] std::vector<std::string> switch_names() const;
  /// Every link to or from one of these, by its place among the names.
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
  int nvswitches_ = -1, network_switches_ = -1; ///< the first place of each; -1: none
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

/// Builds the platform with `extra_nodes` host places beside the spec's nodes (servers, aggregators).
/// Throws UnbuildablePlatform with every error found.
Platform build_platform(const PlatformSpec& spec, int extra_nodes);

} // namespace gradflight
