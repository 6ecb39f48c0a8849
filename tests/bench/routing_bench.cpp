// Route look-up on 1024 nodes of each topology. Checked: the latencies and the narrowest link of a route agree with its
// cost.
#include "platforms/code/platform.hpp"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <limits>
#include <string>

namespace gradflight {
namespace {

constexpr int nodes = 1024;

PlatformSpec star() {
  PlatformSpec spec;
  spec.nodes = nodes;
  spec.network.link = {ByteRate(1.25e9), Seconds(1e-6), {}, {}};
  return spec;
}
PlatformSpec racks() {
  PlatformSpec spec = star();
  spec.network.topology = Topology::racks;
  spec.network.racks = {32, 4, {}};
  return spec;
}
PlatformSpec fat_tree() {
  PlatformSpec spec = star();
  spec.network.topology = Topology::fat_tree;
  spec.network.fat_tree = {{32, 1, 1, {}}, {32, 16, 1, {}}};
  return spec;
}
PlatformSpec torus() {
  PlatformSpec spec = star();
  spec.network.topology = Topology::torus;
  spec.network.torus = {16, 8, 8};
  return spec;
}
PlatformSpec dragonfly() {
  PlatformSpec spec = star();
  spec.network.topology = Topology::dragonfly;
  spec.network.dragonfly = {16, 8, 8, 1, {}, {}};
  return spec;
}
PlatformSpec graph() {
  PlatformSpec spec = star();
  spec.network.topology = Topology::graph;
  for (int s = 0; s < 32; ++s) {
    spec.network.switches.push_back("s" + std::to_string(s));
    spec.network.edges.push_back(
        {"s" + std::to_string(s), "s" + std::to_string((s + 1) % 32), spec.network.link, false});
  }
  for (int n = 0; n < nodes; ++n)
    spec.network.edges.push_back({std::to_string(n), "s" + std::to_string(n % 32), spec.network.link, false});
  return spec;
}

bool agrees(const Platform& platform, int from, int to, const Route& route) {
  double latency = 0, narrowest = std::numeric_limits<double>::infinity();
  for (const std::int32_t index : route) {
    const DirectedLink& link = platform.link(index);
    latency += link.latency;
    narrowest = std::min(narrowest, link.bandwidth);
  }
  const auto [alpha, bandwidth] = platform.cost(from, to);
  return !route.empty() && std::abs(latency - alpha) < 1e-12 * alpha && narrowest == bandwidth;
}

void routes(benchmark::State& state, const PlatformSpec& spec) {
  const Platform platform = build_platform(spec, 0);
  Route route;
  std::int64_t links = 0, looked_up = 0;
  for ([[maybe_unused]] auto iteration : state) {
    for (int from = 0; from < nodes; ++from) { // a stride that includes near and far nodes
      platform.route(from, (from * 37 + 11) % nodes, route);
      links += static_cast<std::int64_t>(route.size());
    }
    looked_up += nodes;
  }
  for (int from = 0; from < nodes; ++from) {
    const int to = (from * 37 + 11) % nodes;
    platform.route(from, to, route);
    if (from != to && !agrees(platform, from, to, route)) return state.SkipWithError("a route and its cost differ");
  }
  state.SetItemsProcessed(looked_up);
  state.counters["links"] = static_cast<double>(links) / static_cast<double>(looked_up);
}

BENCHMARK_CAPTURE(routes, star, star());
BENCHMARK_CAPTURE(routes, racks, racks());
BENCHMARK_CAPTURE(routes, fat_tree, fat_tree());
BENCHMARK_CAPTURE(routes, torus, torus());
BENCHMARK_CAPTURE(routes, dragonfly, dragonfly());
BENCHMARK_CAPTURE(routes, graph, graph());

} // namespace
} // namespace gradflight
