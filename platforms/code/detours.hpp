// Ways around links that are down: of least latency, then of fewest hops, then by the lowest link numbers, over what
// is left of a graph's, a fat tree's, a torus' or a dragonfly's links.
#pragma once

#include "platforms/code/graph_paths.hpp"

#include <functional>
#include <memory>

namespace gradflight {

struct NetworkGraph;
class Platform;

/// Where a network has several ways between two nodes at all: not a star's, nor racks'.
bool has_detours(const NetworkSpec& network);

class Detours {
public:
  /// `latency`: of a link, in seconds; infinity where it must not be used. `platform` must outlive this.
  using Latency = std::function<double(std::int32_t link)>;
  Detours(const Platform& platform, Latency latency);
  ~Detours();

  /// Latencies are others than they were.
  void forget() { paths_.reset(); }
  /// Replaces `out`; false where no way is left. O(links) the first time after forget(), and for each new source.
  bool route(int from, int to, Route& out, NicPair nics = {});

private:
  void find_paths();

  const Platform& platform_;
  Latency latency_;
  std::unique_ptr<NetworkGraph> graph_; ///< null: there is but one way
  std::unique_ptr<GraphPaths> paths_;
};

} // namespace gradflight
