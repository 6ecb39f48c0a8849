// A scenario's description of a cluster, decoded and with every default explicit. Values only; platform.hpp builds the
// links and routes from it.
#pragma once

#include "models/nic/nic_spec.hpp"
#include "models/random/jitter.hpp"
#include "models/units/units.hpp"
#include "platforms/code/spec/link_spec.hpp"
#include "platforms/code/spec/node_spec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

enum class Topology { star, racks, fat_tree, torus, dragonfly, graph };

/// Racks of nodes under a top-of-rack switch; racks joined by an infinitely fast core over one uplink cable each.
struct RacksSpec {
  int nodes_per_rack = 0;        ///< >= 1
  double oversubscription = 1.0; ///< uplink = nodes_per_rack * node bandwidth / oversubscription, unless `uplink`
  std::optional<Seconds> uplink_latency{}; ///< absent: the node link's; none if there is `uplink`
  std::optional<LinkSpec> uplink{};
};

/// One level of a fat tree, leaves first (SimGrid's and Zahavi's parallel-ports generalised fat tree, PGFT).
struct FatTreeLevel {
  int down = 0;                   ///< children of a switch of this level, >= 1
  int up = 1;                     ///< parents (switches of this level) of each child, >= 1
  int cables = 1;                 ///< parallel cables between a child and each of its parents, >= 1
  std::optional<LinkSpec> link{}; ///< absent: the network's `link`
};

/// groups x routers x nodes. Routers of a group are fully connected; `global_cables` join each pair of groups.
struct DragonflySpec {
  int groups = 0, routers = 0, nodes = 0; ///< groups; routers per group; nodes per router; each >= 1
  int global_cables = 1;                  ///< cables between each pair of groups, spread round-robin over their routers
  std::optional<LinkSpec> local{}, global{}; ///< absent: the network's `link`
};

/// A cable of an arbitrary graph; its ends are node numbers as text ("0", "1", ...) or names of switches. `egress` is
/// the direction from -> to, `ingress` the other.
struct GraphEdge {
  std::string from, to;
  LinkSpec link{};
  bool one_way = false; ///< only from -> to

  /// Whether an end is a node, "3", or one of its NICs, "3.1"; otherwise it is a switch.
  [[nodiscard]] static bool is_node(std::string_view end) {
    return !end.empty() && end.find_first_not_of("0123456789.") == std::string_view::npos;
  }
  [[nodiscard]] bool joins_nodes() const { return is_node(from) && is_node(to); }
  [[nodiscard]] bool joins_switches() const { return !is_node(from) && !is_node(to); }
};

/// How to choose among several shortest routes.
struct RoutingSpec {
  enum class Kind {
    by_topology, ///< the topology's rule: D-mod-K, ...
    ecmp,        ///< a hash of sender, receiver and `seed` chooses
    adaptive     ///< each packet finds a free route: parallel cables are like one with their total rate
  };
  Kind kind = Kind::by_topology;
  std::int64_t seed = 0; ///< >= 0
};

struct NetworkSpec {
  Topology topology = Topology::star;
  RoutingSpec routing{};
  LinkSpec link{}; ///< the node's NIC cable (star, racks, fat tree level 0, torus, dragonfly)
  RacksSpec racks{};
  std::vector<FatTreeLevel> fat_tree{};
  std::vector<int> torus{}; ///< size of each dimension; product = number of places for nodes
  DragonflySpec dragonfly{};
  std::vector<std::string> switches{}; ///< graph only
  std::vector<GraphEdge> edges{};      ///< graph only; routed by least latency, then fewest hops, then lowest number
};

enum class IntraKind { none, pcie, nvlink };

/// How the GPUs of a node reach each other and their shared NIC. `none`: they are directly at the NIC, and data
/// among them take no time.
struct IntraNodeSpec {
  IntraKind kind = IntraKind::none;
  LinkSpec link{};         ///< pcie: GPU - PCIe switch; nvlink: each GPU pair's own cable
  int gpus_per_switch = 0; ///< pcie: GPUs on one switch; 0: all of a node
  std::optional<LinkSpec>
      uplink{}; ///< pcie: switch - root complex (absent: as `link`); also the GPU's way to the NIC under nvlink
};

/// A change to some nodes or links of an otherwise regular platform.
struct NodeOverride {
  std::vector<int> nodes{};              ///< node numbers, sorted, unique
  std::optional<double> compute_speed{}; ///< 1: the workload's speed; 0.5: takes twice as long
  std::optional<ByteRate> reduce_bandwidth{};
  std::optional<ByteRate> bandwidth{}; ///< of the node's NIC cable, both directions
  std::optional<ByteRate> egress{}, ingress{};
  std::optional<Seconds> latency{};
  int entry = 0; ///< its index in the scenario's `overrides`, for messages
};
struct LinkOverride {
  std::string link; ///< name of a directed link in `Platform::links()`, e.g. "rack1.up"
  std::optional<ByteRate> bandwidth{};
  std::optional<Seconds> latency{};
  int entry = 0; ///< its index in the scenario's `overrides`, for messages
};

/// Two ranks that come from exchanges with others announce messages at times that differ only by jitter.
enum class Announcements : std::uint8_t {
  apart, ///< one is first: the other's data wait behind its data
  cross  ///< both are under way before any data, if the simulated times allow it
};
constexpr Announcements other(Announcements race) {
  return race == Announcements::apart ? Announcements::cross : Announcements::apart;
}

/// How messages are carried, for example by MPI over TCP. The defaults are those of Open MPI 4.1's TCP transport on
/// Linux and of Ethernet with an MTU of 1500; docs/calibration.md has the sources. Sizes on the cable include
/// everything that counts towards the cable's rate.
struct ProtocolSpec {
  Bytes eager_limit{65536}; ///< messages that exceed it with their header wait for the receiver's clearance
                            ///< (rendezvous); >= 0
  Bytes header{56};         ///< of a message, counted against the eager limit; >= 0
  Announcements announcements = Announcements::apart;
  Bytes frame{1514};                  ///< a full frame on the cable ...
  Bytes frame_payload{1448};          ///< ... and its payload; both > 0, frame_payload <= frame
  Bytes acknowledgement{66};          ///< on the cable in the other direction; >= 0
  int frames_per_acknowledgement = 2; ///< >= 1
  Bytes window{14480};                ///< bytes that a sender has under way at first; >= 0
  Bytes send_buffer{46080}; ///< bytes that fit a sender's buffer at first; it grows with the window; >= window
  Seconds slow_start{4e-3}; ///< the window grows by arriving bytes until this much waits on the link; 0: never; >= 0
  Bytes burst{0};           ///< bytes that an idle cable lets pass at once (token bucket); >= 0
  double efficiency = 1;    ///< share of the frames' payload rate that long transfers reach; in (0, 1]

  /// Payload bytes per byte of the cable's rate.
  [[nodiscard]] double goodput() const { return efficiency * (frame_payload / frame); }
};

struct PlatformSpec {
  std::string name{}, source{};   ///< source: where the values come from, free text
  std::string machine{};          ///< the catalogue's machine from which it started; for display
  int nodes = 0;                  ///< >= 1; servers of a parameter server are extra unless colocated
  int gpus_per_node = 1;          ///< >= 1; `node` overrides it
  std::optional<NodeSpec> node{}; ///< replaces network.link and intra_node
  NetworkSpec network{};
  IntraNodeSpec intra_node{};
  Seconds message_overhead{};                 ///< added to alpha of every message that leaves its rank
  std::optional<ByteRate> reduce_bandwidth{}; ///< 1/gamma; absent: reduction is free
  std::optional<Bytes> message_bytes{};       ///< bytes that each message adds to its data on the links; absent: none
  std::optional<Jitter> jitter{}; ///< of forward and backward passes; absent: they always take the same time
  /// For a message that starts while the sender's or the receiver's GPU is in its forward or backward pass: the share
  /// of its speed that remains, in (0, 1]. Absent: all of it.
  std::optional<double> rate_while_computing{};
  std::optional<ProtocolSpec> protocol{}; ///< absent: only the bytes of a message count
  std::optional<NicSpec> nic{}; ///< the compressor in every node's NIC; absent: INCEPTIONN's, where one is used
  std::vector<NodeOverride> node_overrides{};
  std::vector<LinkOverride> link_overrides{};
};

} // namespace gradflight
