#include "models/schedules/nccl/nccl_orders.hpp"

#include "models/schedules/operations/parts/group_trees.hpp"

#include <algorithm>

namespace gradflight {

namespace {

const nccl::SearchedChannel& channel_of(const nccl::Graph& graph, int channel) {
  return graph.channels[static_cast<std::size_t>(channel % graph.count())];
}

/// If a ring's channels cross NICs in pairs, odd nodes swap the channels of a pair.
const nccl::SearchedChannel& channel_at(const nccl::Graph& graph, int channel, int node) {
  const int searched = channel % graph.count();
  const bool swapped = graph.cross_nic == 2 && node % 2 == 1 && (searched ^ 1) < graph.count();
  return channel_of(graph, swapped ? searched ^ 1 : searched);
}

} // namespace

std::vector<int> ring_order(const nccl::Machine& machine, const nccl::Graph& ring, int channel) {
  std::vector<int> order;
  for (int node = 0; node < machine.nodes; ++node)
    for (const int gpu : channel_at(ring, channel, node).gpus) order.push_back(node * machine.gpu_count() + gpu);
  return order;
}

std::vector<std::int16_t> channel_nics(const nccl::Machine& machine, const nccl::Graph& graph, int channel) {
  std::vector<std::int16_t> nics;
  for (int node = 0; machine.nodes > 1 && node < machine.nodes; ++node) {
    const nccl::SearchedChannel& searched = channel_at(graph, channel, node);
    for (int gpu = 0; gpu < machine.gpu_count(); ++gpu)
      nics.push_back(static_cast<std::int16_t>(gpu == searched.gpus.front() ? searched.nic_in : searched.nic_out));
  }
  return nics;
}

std::vector<int> ring_relays(const nccl::Machine& machine, const nccl::Graph& ring, int channel) {
  std::vector<int> by(static_cast<std::size_t>(machine.ranks()), no_rank);
  for (int node = 0; node < machine.nodes; ++node) {
    const nccl::SearchedChannel& searched = channel_at(ring, channel, node);
    const int first = node * machine.gpu_count(), last = first + searched.gpus.back();
    if (searched.relay >= 0) by[static_cast<std::size_t>(last)] = first + searched.relay;
  }
  return by;
}

std::vector<int> tree_parents(const nccl::Machine& machine, const nccl::Graph& tree, int channel, int half) {
  const int gpus = machine.gpu_count();
  const std::vector<int>& chain = channel_of(tree, channel).gpus;
  const auto rank = [&](int node, int seat) {
    return node * gpus + chain[static_cast<std::size_t>(std::min(seat, gpus - 1))];
  };
  std::vector<int> parent(static_cast<std::size_t>(machine.ranks()), no_rank);
  for (int node = 0; node < machine.nodes; ++node)
    for (int seat = 1; seat < gpus; ++seat) parent[static_cast<std::size_t>(rank(node, seat))] = rank(node, seat - 1);
  if (machine.nodes == 1) return parent;
  const auto nodes = double_tree(machine.nodes, channel < half ? 0 : 1);
  // A balanced tree receives one child's messages at the second GPU, so that two NICs share the traffic.
  const bool balanced = tree.pattern == nccl::Pattern::balanced_tree;
  for (int node = 0; node < machine.nodes; ++node)
    for (int child = 0; child < nodes->children(node); ++child)
      parent[static_cast<std::size_t>(rank(nodes->child(node, child), 0))] = rank(node, balanced && child == 0 ? 1 : 0);
  return parent;
}

std::vector<int> chain_parents(const std::vector<int>& order, bool towards_root) {
  const auto p = order.size();
  const auto at = static_cast<std::size_t>(std::ranges::find(order, 0) - order.begin());
  std::vector<int> parent(p, no_rank);
  for (std::size_t i = 1; i < p; ++i) {
    // Data go round the ring: away from the root, position i receives from i - 1; towards the root, i sends to i + 1.
    const int rank = order[(at + i) % p];
    parent[static_cast<std::size_t>(rank)] = order[(at + (towards_root ? i + 1 : i - 1)) % p];
  }
  return parent;
}

} // namespace gradflight
