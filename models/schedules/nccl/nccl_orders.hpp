// The order of ranks in NCCL's channels. Ranks are numbered node by node, GPU by GPU.
#pragma once

#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"

#include <vector>

namespace gradflight {

/// Returns the ring of a channel through all nodes. The last GPU of a node sends to the first of the next, on one rail
/// unless channels cross NICs in pairs.
std::vector<int> ring_order(const nccl::Machine& machine, const nccl::Graph& ring, int channel);

/// Returns for each rank the rank that sends its messages to the next node (PXN); no_rank: the rank itself. A ring's
/// last GPU has a relay if the GPU beside the NIC reaches it better.
std::vector<int> ring_relays(const nccl::Machine& machine, const nccl::Graph& ring, int channel);

/// Returns for each rank the NIC of its node by which the channel leaves and enters it (ncclTopoGetNetDev). The first
/// GPU of the channel's order uses the NIC by which the search entered the node, all others that by which it left.
/// Empty on one node.
std::vector<std::int16_t> channel_nics(const nccl::Machine& machine, const nccl::Graph& graph, int channel);

/// Returns each rank's parent in the tree of a channel (no_rank: the root). The first `half` channels use NCCL's tree 0
/// over the nodes, the others tree 1. In each node the GPUs form a chain below the one that talks to the parent.
std::vector<int> tree_parents(const nccl::Machine& machine, const nccl::Graph& tree, int channel, int half);

/// Returns each rank's parent on the way round a ring from rank 0, which has none.
std::vector<int> chain_parents(const std::vector<int>& order, bool towards_root);

} // namespace gradflight
