#include "platforms/code/graph_paths.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <boost/range/iterator_range.hpp>
#include <limits>

namespace gradflight {
namespace {

/// Entries of all cached trees together (32 MB).
constexpr int kept_entries = 1 << 23;

struct Length {
  std::int64_t picoseconds = 0;
  int hops = 0;
  auto operator<=>(const Length&) const = default;
  Length operator+(const Length& more) const { return {picoseconds + more.picoseconds, hops + more.hops}; }
};
constexpr Length unreached{std::numeric_limits<std::int64_t>::max(), 0};

Length length_of(const GraphArc& arc) { return {arc.picoseconds, 1}; }

std::vector<std::pair<int, int>> ends_of(const std::vector<GraphArc>& arcs) {
  std::vector<std::pair<int, int>> ends;
  ends.reserve(arcs.size());
  for (const auto& arc : arcs) ends.emplace_back(arc.from, arc.to);
  return ends;
}

template <class Graph> std::vector<bool> reached_in(const Graph& graph, int source) {
  std::vector<boost::default_color_type> colours(num_vertices(graph));
  const auto map = boost::make_iterator_property_map(colours.begin(), get(boost::vertex_index, graph));
  boost::breadth_first_search(graph, vertex(static_cast<std::size_t>(source), graph), boost::color_map(map));
  std::vector<bool> seen;
  seen.reserve(colours.size());
  for (const auto colour : colours) seen.push_back(colour == boost::black_color);
  return seen;
}

} // namespace

GraphPaths::GraphPaths(int vertices, const std::vector<GraphArc>& arcs)
    : graph_([&] {
        const auto ends = ends_of(arcs);
        return Graph(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), arcs.begin(),
                     static_cast<std::size_t>(vertices));
      }()) {
  trees_.resize(static_cast<std::size_t>(std::clamp(kept_entries / std::max(vertices, 1), 1, std::max(vertices, 1))));
}

void GraphPaths::grow(int source, Tree& tree) const {
  const auto count = num_vertices(graph_);
  const auto index = get(boost::vertex_index, graph_);
  std::vector<Length> lengths(count);
  const auto weight = boost::make_function_property_map<Graph::edge_descriptor>(
      [this](const Graph::edge_descriptor& arc) { return length_of(graph_[arc]); });
  boost::dijkstra_shortest_paths(graph_, vertex(static_cast<std::size_t>(source), graph_),
                                 boost::weight_map(weight)
                                     .distance_map(boost::make_iterator_property_map(lengths.begin(), index))
                                     .distance_compare(std::less<Length>())
                                     .distance_combine(std::plus<Length>())
                                     .distance_inf(unreached)
                                     .distance_zero(Length{}));
  tree.source = source;
  tree.last_link.assign(count, std::numeric_limits<std::int32_t>::max());
  tree.before.assign(count, -1);
  // Lengths decide, not the order of the search: of all arcs that end a shortest path, take the lowest-numbered.
  for (const auto arc : boost::make_iterator_range(edges(graph_))) {
    const GraphArc& a = graph_[arc];
    const auto from = static_cast<std::size_t>(a.from), to = static_cast<std::size_t>(a.to);
    if (a.to == source || lengths[from] == unreached || lengths[from] + length_of(a) != lengths[to] ||
        a.link >= tree.last_link[to])
      continue;
    tree.last_link[to] = a.link;
    tree.before[to] = a.from;
  }
}

std::vector<GraphArc> GraphPaths::arcs() const {
  std::vector<GraphArc> all;
  for (const auto arc : boost::make_iterator_range(edges(graph_))) all.push_back(graph_[arc]);
  return all;
}

bool GraphPaths::append(int from, int to, Route& out) const {
  const std::lock_guard lock(mutex_);
  Tree& tree = trees_[static_cast<std::size_t>(from) % trees_.size()];
  if (tree.source != from) grow(from, tree);
  if (from != to && tree.before[static_cast<std::size_t>(to)] < 0) return false;
  const auto start = static_cast<std::ptrdiff_t>(out.size());
  for (int at = to; at != from; at = tree.before[static_cast<std::size_t>(at)])
    out.push_back(tree.last_link[static_cast<std::size_t>(at)]);
  std::reverse(out.begin() + start, out.end());
  return true;
}

std::vector<bool> GraphPaths::reached(int source, Way way) const {
  return way == Way::forward ? reached_in(graph_, source) : reached_in(boost::make_reverse_graph(graph_), source);
}

} // namespace gradflight
