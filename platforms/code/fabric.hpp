// The network between nodes: one routing rule per topology (topologies/). Only these files and those that build a
// platform use this.
//
// A network joins terminals: nodes, or, if nodes have their own NICs (PlatformSpec::node), those NICs. Link numbers:
// first the terminals' cables (terminal t, cable c of k: 2(tk+c) up, 2(tk+c)+1 down; a fat tree with rails orders them
// otherwise), then the topology's own links, then those within the nodes.
#pragma once

#include "platforms/code/graph_paths.hpp"
#include "platforms/code/platform.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// A network as a graph, for finding detours.
struct NetworkGraph {
  int vertices = 0;
  std::vector<int> source, sink; ///< of each terminal: vertices where its messages begin and end
  std::vector<GraphArc> arcs;    ///< without their latencies

  /// Adds vertices for `terminals`, which no route passes through, and for `others`. Returns the first of the others.
  int make_room(int terminals, int others);
  void join(int from, int to, std::int32_t link) { arcs.push_back({from, to, link, 0}); }
};

/// Networks with more links (about 3 GB of memory) are refused.
inline constexpr std::int64_t max_links = std::int64_t{1} << 26;

class Fabric {
public:
  virtual ~Fabric() = default;
  /// Appends the links from terminal `from` to terminal `to` of another node. `flow`: a hash of the message's ends, for
  /// routing by hash.
  virtual void route(int from, int to, std::uint64_t flow, Route& out) const = 0;
  /// Number of cables per terminal; 0 in a graph of nodes, where cables belong to no terminal.
  [[nodiscard]] virtual int cables() const { return 1; }
  /// The first of these links: up and down alternate.
  [[nodiscard]] virtual std::int32_t first_cable(int terminal) const { return 2 * terminal * cables(); }
  /// Number of switches that can reduce data from terminals; see Platform::network_switch_place.
  [[nodiscard]] virtual int reducing_switches() const { return 0; }
  virtual void to_switch(int /*from*/, int /*number*/, Route& /*out*/) const {}
  virtual void from_switch(int /*number*/, int /*to*/, Route& /*out*/) const {}
  /// Number of switches between the terminals without a list: of a fat tree; routers of tori and dragonflies.
  [[nodiscard]] virtual int switches() const { return 0; }
  [[nodiscard]] virtual std::string switch_name(int /*number*/) const { return {}; }
  /// Appends every link to or from a switch.
  virtual void links_at(int /*number*/, Route& /*out*/) const {}
  /// Fills `graph`; returns false if only one route leads from any terminal to another.
  virtual bool graph(NetworkGraph& /*graph*/) const { return false; }
  /// Appends the links between terminal `end` and the world beyond the topmost switches; returns false if none exists.
  virtual bool from_outside(int /*end*/, std::uint64_t /*flow*/, Route& /*out*/) const { return false; }
  virtual bool to_outside(int /*end*/, std::uint64_t /*flow*/, Route& /*out*/) const { return false; }
};

/// Number of nodes that need a place, for messages that say where the number comes from.
struct NodeCount {
  int own = 0, extra = 0;
  [[nodiscard]] int total() const { return own + extra; }
  [[nodiscard]] std::string text() const; ///< "5 nodes (4 and 1 extra for servers)"
};

/// What the network joins: `per_node` NICs of each own node, node by node, then one NIC of each extra node. Without
/// `nics` a node is one terminal and its cable has the node's name.
struct Terminals {
  NodeCount nodes{};
  int per_node = 1;
  bool nics = false, rails = false;
  double rail_oversubscription = 1;

  [[nodiscard]] int own() const { return nodes.own * per_node; }
  [[nodiscard]] int total() const { return own() + nodes.extra; }
  [[nodiscard]] int node(int terminal) const {
    return terminal < own() ? terminal / per_node : terminal - own() + nodes.own;
  }
  /// Its number within its node; extra nodes' NICs are distributed over the rails.
  [[nodiscard]] int rail(int terminal) const {
    return terminal < own() ? terminal % per_node : (terminal - own()) % per_node;
  }
  [[nodiscard]] int number(int node, int nic) const {
    return node < nodes.own ? node * per_node + nic : own() + node - nodes.own;
  }
  [[nodiscard]] std::string name(int terminal) const; ///< "node3", "node3.nic1"
  [[nodiscard]] LinkRole role(int terminal) const;    ///< of its cables
  /// Appends both directions of the cables of nodes `begin` to `end` - 1; terminals must have one cable each.
  void cables_of(int begin, int end, Route& out) const {
    for (int node = begin; node < std::min(end, nodes.total()); ++node)
      for (int nic = 0; nic < (node < nodes.own ? per_node : 1); ++nic) {
        out.push_back(2 * number(node, nic));
        out.push_back(2 * number(node, nic) + 1);
      }
  }
};

/// The links during construction.
struct LinkTable {
  std::vector<DirectedLink> links{};
  void add(std::string name, ByteRate bandwidth, const std::optional<Seconds>& latency, const LinkRole& role);
  /// Adds a full-duplex cable: the upward direction first. `role`: the common part of both directions.
  void cable(std::string up, std::string down, const LinkSpec& spec, LinkRole role);
  /// Adds the terminals' cables "node0.up", "node0.down", "node1.up", ...
  void terminal_cables(const Terminals& terminals, const LinkSpec& spec);
  [[nodiscard]] std::int32_t next() const { return static_cast<std::int32_t>(links.size()); }
};

/// Mixes all bits (splitmix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

using PlatformErrors = std::vector<PlatformError>;

/// Checks bandwidth > 0 and latency >= 0, both finite; egress and ingress too, or refuses these between equals.
enum class Ends { up_down, equal };
void check_link(const LinkSpec& spec, const std::string& pointer, Ends ends, PlatformErrors& errors);
void check_rate(const std::optional<ByteRate>& rate, const std::string& pointer, PlatformErrors& errors);
void check_latency(Seconds latency, const std::string& pointer, PlatformErrors& errors);
/// Returns false, with an error, if `value` < `least`.
bool check_count(std::int64_t value, std::int64_t least, const std::string& pointer, PlatformErrors& errors);
/// Returns false, with an error, if `links` exceeds max_links.
bool check_size(std::int64_t links, const std::string& pointer, PlatformErrors& errors);
/// Returns false, with an error, if the nodes exceed the topology's places.
bool check_places(std::int64_t places, std::string_view what, const NodeCount& nodes, const std::string& pointer,
                  PlatformErrors& errors);

/// Returns a * b, both >= 0, limited to a bound far above any allowed count.
std::int64_t times(std::int64_t a, std::int64_t b);

/// Each checks its part of the specification, adds its links, and returns the routing rule (null after errors).
std::unique_ptr<Fabric> make_star(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                  PlatformErrors& errors);
std::unique_ptr<Fabric> make_racks(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                   PlatformErrors& errors);
std::unique_ptr<Fabric> make_fat_tree(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                      PlatformErrors& errors);
std::unique_ptr<Fabric> make_torus(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                   PlatformErrors& errors);
std::unique_ptr<Fabric> make_dragonfly(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                       PlatformErrors& errors);
std::unique_ptr<Fabric> make_graph(const NetworkSpec& spec, const Terminals& terminals, LinkTable& links,
                                   PlatformErrors& errors);

} // namespace gradflight
