#include "any_platform.hpp"

#include <rapidcheck.h>

namespace gradflight::test {

int any(int least, int most) { return *rc::gen::inRange(least, most + 1); }

namespace {

PlatformSpec any_graph(int total) {
  // A random tree of nodes and switches keeps it connected. More cables create loops, ties and parallel links.
  const int switches = any(0, 4);
  Names names;
  for (int n = 0; n < total; ++n) names.push_back(std::to_string(n));
  auto spec = graph(total, {}, {});
  for (int s = 0; s < switches; ++s) {
    spec.network.switches.push_back("s" + std::to_string(s));
    names.push_back(spec.network.switches.back());
  }
  const auto vertices = static_cast<int>(names.size());
  const auto name = [&](int v) { return names[static_cast<std::size_t>(vertices - 1 - v)]; }; // switches in the middle
  for (int v = 1; v < vertices; ++v)
    spec.network.edges.push_back({name(v), name(any(0, v - 1)), cable(1e9, 1e-3 * any(0, 3)), false});
  for (int more = any(0, 2 * vertices); more > 0 && vertices > 1; --more) {
    const int a = any(0, vertices - 1), b = any(0, vertices - 2);
    spec.network.edges.push_back({name(a), name(b < a ? b : b + 1), cable(1e9, 1e-3 * any(0, 3)), any(0, 3) == 0});
  }
  return spec;
}

} // namespace

PlatformSpec any_network(Topology topology, int total) {
  switch (topology) {
  case Topology::star: return network(topology, total);
  case Topology::racks: return racks(total, any(1, 6), 1 + any(0, 3));
  case Topology::fat_tree: {
    std::vector<FatTreeLevel> levels;
    int places = 1;
    do {
      levels.push_back({any(1, 4), any(1, 3), any(1, 2), {}});
      places *= levels.back().down;
    } while (levels.size() < 4 && places < total);
    return fat_tree(std::min(total, places), levels);
  }
  case Topology::torus: {
    std::vector<int> sizes;
    int places = 1;
    for (int d = any(1, 4); d > 0; --d) {
      sizes.push_back(any(1, 5));
      places *= sizes.back();
    }
    return torus(std::min(total, places), sizes);
  }
  case Topology::dragonfly: {
    const int groups = any(1, 5), routers = any(1, 4), nodes = any(1, 3);
    return dragonfly(std::min(total, groups * routers * nodes), groups, routers, nodes, any(1, 5));
  }
  case Topology::graph: return any_graph(total);
  }
  return {};
}

PlatformSpec any_platform(int& extra) {
  const auto topology = static_cast<Topology>(any(0, 5));
  auto spec = any_network(topology, any(1, 12));
  extra = spec.nodes > 1 ? any(0, std::min(2, spec.nodes - 1)) : 0;
  spec.nodes -= extra;
  return with_gpus(std::move(spec), any(1, 4), static_cast<IntraKind>(any(0, 2)), any(0, 3), any(0, 1) == 1);
}

} // namespace gradflight::test
