// Rings through nodes that are all alike: all nodes do the same, so three nodes are enough to simulate.
//
// A message of such a ring leaves each node at the same instant from the same place. A node depends only on its
// neighbours, so in a ring of three nodes with the rounds and messages of the whole ring, it behaves the same. This
// holds if turning the ring by one node maps messages onto messages and links onto links: the links of each hop must
// have the same bandwidth and latency in every node, and two hops must share a link in every node or in none.
#pragma once

#include "platforms/code/spec/spec.hpp"
#include "sim/group/group_plan.hpp"

#include <optional>

namespace gradflight {

/// Returns `work` on three of its nodes, with the time and the critical path of all nodes. Returns nothing if its
/// schedule is not a ring through more than three nodes, or if its nodes differ.
std::optional<FoldedWork> folded_ring(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

} // namespace gradflight
