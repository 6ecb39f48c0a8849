#include "platforms/code/detours.hpp"

#include "platforms/code/fabric.hpp"

#include <cmath>
#include <numeric>

namespace gradflight {

int NetworkGraph::make_room(int terminals, int others) {
  source.resize(static_cast<std::size_t>(terminals));
  sink.resize(static_cast<std::size_t>(terminals));
  std::iota(source.begin(), source.end(), 0);
  std::iota(sink.begin(), sink.end(), terminals);
  vertices = 2 * terminals + others;
  return 2 * terminals;
}

bool has_detours(const NetworkSpec& network) {
  return network.topology != Topology::star && network.topology != Topology::racks;
}

Detours::Detours(const Platform& platform, Latency latency)
    : platform_(platform), latency_(std::move(latency)), graph_(std::make_unique<NetworkGraph>()) {
  if (!platform.network_graph(*graph_)) graph_.reset();
}

Detours::~Detours() = default;

void Detours::find_paths() {
  constexpr double picoseconds = 1e12, most = 1e15; // 1000 s: the sum over a thousand links fits
  std::vector<GraphArc> usable;
  for (GraphArc arc : graph_->arcs) {
    const double latency = latency_(arc.link);
    if (!std::isfinite(latency)) continue;
    arc.picoseconds = std::llround(std::min(latency * picoseconds, most));
    usable.push_back(arc);
  }
  paths_ = std::make_unique<GraphPaths>(graph_->vertices, usable);
}

bool Detours::route(int from, int to, Route& out, NicPair nics) {
  if (!graph_) return false;
  if (!paths_) find_paths();
  return platform_.route_by(
      from, to,
      [this](int a, int b, Route& links) {
        return paths_->append(graph_->source[static_cast<std::size_t>(a)], graph_->sink[static_cast<std::size_t>(b)],
                              links);
      },
      out, nics);
}

} // namespace gradflight
