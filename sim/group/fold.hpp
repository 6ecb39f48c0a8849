// Parts of an operation that stand for the others: a few nodes for a ring, one lane for those that do the same.
#pragma once

#include "platforms/code/spec/spec.hpp"
#include "sim/group/group_plan.hpp"

#include <optional>

namespace gradflight {

/// Rings through nodes that are all alike: all nodes do the same, so three nodes are enough to simulate.
///
/// A message of such a ring leaves each node at the same instant from the same place. A node depends only on its
/// neighbours, so in a ring of three nodes with the rounds and messages of the whole ring, it behaves the same. This
/// holds if turning the ring by one node maps messages onto messages and links onto links: the links of each hop must
/// have the same bandwidth and latency in every node, and two hops must share a link in every node or in none.
///
/// Returns `work` on three of its nodes, with the time and the critical path of all nodes. Returns nothing if its
/// schedule is not a ring through more than three nodes, or if its nodes differ.
std::optional<FoldedWork> folded_ring(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

/// Lanes that do the same with other members: one of them is enough to simulate.
///
/// NCCL's channels go through the GPUs and NICs of each node in different orders. On an even machine, each message of a
/// channel has a counterpart in every other channel, and each link has one in the other channels' places: a set of
/// links as large as the set of channels. If every link of such a set carries the counterparts of the same messages,
/// all counterparts move alike. So the messages of one channel suffice, on one link of each set.
///
/// Returns `work` with the first lane of those that do the same, with the time and the critical path of all. Returns
/// nothing if no lanes are alike, if links of one set differ, or if members' own work would be shared among lanes.
std::optional<FoldedWork> folded_lanes(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

} // namespace gradflight
