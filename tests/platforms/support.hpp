// Short functions to specify a platform, and to read its routes and errors as text.
#pragma once

#include "platforms/code/platform.hpp"

#include <string>
#include <vector>

namespace gradflight::test {

using Names = std::vector<std::string>;

inline LinkSpec cable(double bandwidth, double latency) { return {ByteRate(bandwidth), Seconds(latency), {}, {}}; }

/// Links of 10 Gbps and 5 us by default.
inline PlatformSpec network(Topology topology, int nodes) {
  PlatformSpec spec;
  spec.nodes = nodes;
  spec.network.topology = topology;
  spec.network.link = cable(1.25e9, 5e-6);
  return spec;
}

inline PlatformSpec with_gpus(PlatformSpec spec, int gpus, IntraKind kind, int per_switch = 0, bool uplink = false) {
  spec.gpus_per_node = gpus;
  spec.intra_node.kind = kind;
  spec.intra_node.link = cable(12e9, 1e-6);
  spec.intra_node.gpus_per_switch = per_switch;
  if (uplink) spec.intra_node.uplink = cable(10e9, 2e-6);
  return spec;
}

inline PlatformSpec racks(int nodes, int per_rack, double oversubscription) {
  auto spec = network(Topology::racks, nodes);
  spec.network.racks = {per_rack, oversubscription, {}};
  return spec;
}

inline PlatformSpec fat_tree(int nodes, std::vector<FatTreeLevel> levels) {
  auto spec = network(Topology::fat_tree, nodes);
  spec.network.fat_tree = std::move(levels);
  return spec;
}

inline PlatformSpec torus(int nodes, std::vector<int> dimensions) {
  auto spec = network(Topology::torus, nodes);
  spec.network.torus = std::move(dimensions);
  return spec;
}

inline PlatformSpec dragonfly(int nodes, int groups, int routers, int per_router, int cables) {
  auto spec = network(Topology::dragonfly, nodes);
  spec.network.dragonfly = {groups, routers, per_router, cables, {}, {}};
  return spec;
}

inline PlatformSpec graph(int nodes, Names switches, std::vector<GraphEdge> edges) {
  auto spec = network(Topology::graph, nodes);
  spec.network.switches = std::move(switches);
  spec.network.edges = std::move(edges);
  return spec;
}

inline Names route(const Platform& platform, int from, int to) {
  Route links;
  platform.route(from, to, links);
  Names names;
  for (const auto l : links) names.push_back(platform.link(l).name);
  return names;
}

inline const DirectedLink& link_named(const Platform& platform, const std::string& name) {
  for (const auto& l : platform.links())
    if (l.name == name) return l;
  throw std::out_of_range("no link " + name);
}

/// Returns "pointer: message" for every error; empty if the platform is valid.
inline Names errors(const PlatformSpec& spec, int extra = 0) {
  Names texts;
  try {
    build_platform(spec, extra);
  } catch (const UnbuildablePlatform& refused) {
    for (const auto& e : refused.errors()) texts.push_back(e.pointer + ": " + e.message);
  }
  return texts;
}

} // namespace gradflight::test
