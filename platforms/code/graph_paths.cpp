#include "platforms/code/graph_paths.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

namespace gradflight {
namespace {
/// Entries of all kept trees together (32 MB).
constexpr int kept_entries = 1 << 23;
} // namespace

GraphPaths::GraphPaths(int vertices, std::vector<GraphArc> arcs)
    : vertices_(vertices), arcs_(std::move(arcs)), first_(static_cast<std::size_t>(vertices) + 1, 0) {
  std::sort(arcs_.begin(), arcs_.end(),
            [](const auto& a, const auto& b) { return std::tie(a.from, a.link) < std::tie(b.from, b.link); });
  for (const auto& arc : arcs_) ++first_[static_cast<std::size_t>(arc.from) + 1];
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  trees_.resize(static_cast<std::size_t>(std::clamp(kept_entries / std::max(vertices, 1), 1, std::max(vertices, 1))));
}

void GraphPaths::grow(int source, Tree& tree) const {
  const auto count = static_cast<std::size_t>(vertices_);
  using Length = std::pair<std::int64_t, int>; // picoseconds, hops
  std::vector<Length> length(count, {std::numeric_limits<std::int64_t>::max(), 0});
  tree.source = source;
  tree.last.assign(count, -1);
  std::priority_queue<std::pair<Length, int>, std::vector<std::pair<Length, int>>, std::greater<>> queue;
  length[static_cast<std::size_t>(source)] = {0, 0};
  queue.push({{0, 0}, source});
  while (!queue.empty()) {
    const auto [reached_in, vertex] = queue.top();
    queue.pop();
    if (reached_in > length[static_cast<std::size_t>(vertex)]) continue;
    for (std::int32_t a = first_[static_cast<std::size_t>(vertex)]; a < first_[static_cast<std::size_t>(vertex) + 1];
         ++a) {
      const GraphArc& arc = arcs_[static_cast<std::size_t>(a)];
      const auto to = static_cast<std::size_t>(arc.to);
      const Length through{reached_in.first + arc.picoseconds, reached_in.second + 1};
      if (through < length[to]) {
        length[to] = through;
        tree.last[to] = a;
        queue.push({through, arc.to});
      } else if (through == length[to] && arc.link < arcs_[static_cast<std::size_t>(tree.last[to])].link) {
        tree.last[to] = a;
      }
    }
  }
}

void GraphPaths::append(int from, int to, Route& out) const {
  const std::lock_guard lock(mutex_);
  Tree& tree = trees_[static_cast<std::size_t>(from) % trees_.size()];
  if (tree.source != from) grow(from, tree);
  const auto start = static_cast<std::ptrdiff_t>(out.size());
  for (int vertex = to; vertex != from;) {
    const GraphArc& arc = arcs_[static_cast<std::size_t>(tree.last[static_cast<std::size_t>(vertex)])];
    out.push_back(arc.link);
    vertex = arc.from;
  }
  std::reverse(out.begin() + start, out.end());
}

std::vector<bool> GraphPaths::reached(int source, Way way) const {
  std::vector<std::vector<int>> next(static_cast<std::size_t>(vertices_));
  for (const auto& arc : arcs_)
    next[static_cast<std::size_t>(way == Way::forward ? arc.from : arc.to)].push_back(way == Way::forward ? arc.to
                                                                                                          : arc.from);
  std::vector<bool> seen(static_cast<std::size_t>(vertices_), false);
  std::vector<int> open{source};
  seen[static_cast<std::size_t>(source)] = true;
  while (!open.empty()) {
    const int vertex = open.back();
    open.pop_back();
    for (const int to : next[static_cast<std::size_t>(vertex)])
      if (!seen[static_cast<std::size_t>(to)]) {
        seen[static_cast<std::size_t>(to)] = true;
        open.push_back(to);
      }
  }
  return seen;
}

} // namespace gradflight
