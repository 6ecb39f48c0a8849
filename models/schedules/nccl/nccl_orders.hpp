// Who follows whom in NCCL's channels, as ranks: node by node, GPU by GPU.
#pragma once

#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"

#include <vector>

namespace gradflight {

/// The ring of a channel through all nodes: the last GPU of a node sends to the first of the next, on one rail unless
/// channels cross NICs in pairs.
std::vector<int> ring_order(const nccl::Machine& machine, const nccl::Graph& ring, int channel);

/// Of each rank: who hands its messages to the next node on. A channel leaves a node by the NIC by which it has entered
/// it, at its first GPU; the last one's messages go by way of that one (PXN, or through the host to the same NIC).
std::vector<int> ring_relays(const nccl::Machine& machine, const nccl::Graph& ring, int channel);

/// Of each rank: the NIC of its node by which the channel leaves and enters it (ncclTopoGetNetDev): the first GPU of
/// the channel's order takes the NIC by which the search entered the node, every other one that by which it was left.
/// Empty on a single node.
std::vector<std::int16_t> channel_nics(const nccl::Machine& machine, const nccl::Graph& graph, int channel);

/// The tree of a channel: each rank's parent (nobody: the root). The first `half` channels have NCCL's tree 0 over the
/// nodes, the others tree 1; in each node the GPUs are a chain below the one that talks to the parent.
std::vector<int> tree_parents(const nccl::Machine& machine, const nccl::Graph& tree, int channel, int half);

/// Each rank's parent on the way round a ring from `root`, which has none.
std::vector<int> chain_parents(const std::vector<int>& order, int root, bool towards_root);

} // namespace gradflight
