// A cluster as values: places where ranks live, directed links, and the route between any two places.
//
// Pure: no SimGrid, no JSON. Routes are computed, not stored (O(links) memory whatever the number of places).
#pragma once

#include "platforms/code/spec.hpp"

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <exception>
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
  /// GPUs of one node without an intra-node network).
  void route(int from, int to, Route& out) const;

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
  void route_between_nics(int from, int to, Route& out) const;
  [[nodiscard]] int nic_index(int from, int to) const;
  [[nodiscard]] std::uint64_t flow(int from, int to) const;
  std::unique_ptr<Ports> ports_;
  std::unique_ptr<Fabric> fabric_;
};

/// Builds the platform with `extra_nodes` host places beside the spec's nodes (servers, aggregators).
/// Throws UnbuildablePlatform with every error found.
Platform build_platform(const PlatformSpec& spec, int extra_nodes);

} // namespace gradflight
