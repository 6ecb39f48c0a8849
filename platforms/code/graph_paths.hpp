// Shortest paths in a directed graph, one tree at a time: memory O(links), for any number of pairs.
#pragma once

#include "platforms/code/platform.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gradflight {

struct GraphArc {
  int from = 0, to = 0;         ///< vertices
  std::int32_t link = 0;        ///< index in Platform::links()
  std::int64_t picoseconds = 0; ///< latency as an integer, so that sums are equal in any order
};

/// Paths of least latency, then of fewest hops. If several remain, the last link is the lowest-numbered that ends such
/// a path, and so on towards the source.
class GraphPaths {
public:
  GraphPaths(int vertices, const std::vector<GraphArc>& arcs);

  /// Appends the links from `from` to `to`; returns false, and appends nothing, if no path exists. Thread-safe.
  bool append(int from, int to, Route& out) const;
  [[nodiscard]] std::vector<GraphArc> arcs() const;
  /// Returns for each vertex whether it can be reached from `source`, or, backward, can reach it.
  enum class Way { forward, backward };
  [[nodiscard]] std::vector<bool> reached(int source, Way way) const;

private:
  using Graph = boost::compressed_sparse_row_graph<boost::bidirectionalS, boost::no_property, GraphArc>;
  struct Tree {
    int source = -1;
    std::vector<std::int32_t> last_link; ///< per vertex: the last link of its path
    std::vector<std::int32_t> before;    ///< per vertex: the previous vertex on its path
  };
  void grow(int source, Tree& tree) const;

  Graph graph_;
  // The latest trees: a source's slot is its number modulo the number of slots.
  mutable std::mutex mutex_;
  mutable std::vector<Tree> trees_;
};

} // namespace gradflight
