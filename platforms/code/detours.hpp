// Routes around links that are down: least latency first, then fewest hops, then lowest link numbers, over the
// remaining links of a graph, a fat tree, a torus or a dragonfly.
#pragma once

#include "platforms/code/graph_paths.hpp"

#include <functional>
#include <memory>

namespace gradflight {

struct NetworkGraph;
class Platform;

/// Whether a network has several routes between two nodes: a star and racks do not.
bool has_detours(const NetworkSpec& network);

class Detours {
public:
  /// `latency`: of a link, in seconds; infinity if it must not be used. `platform` must outlive this.
  using Latency = std::function<double(std::int32_t link)>;
  Detours(const Platform& platform, Latency latency);
  ~Detours();

  /// Latencies have changed.
  void forget() { paths_.reset(); }
  /// Replaces `out`; returns false if no route is left. O(links) for a new source, and after forget().
  bool route(int from, int to, Route& out, NicPair nics = {});

private:
  void find_paths();

  const Platform& platform_;
  Latency latency_;
  std::unique_ptr<NetworkGraph> graph_; ///< null: only one route exists
  std::unique_ptr<GraphPaths> paths_;
};

} // namespace gradflight
