// Rings through nodes that are all alike: what one node does, all do, and three of them show it.
//
// A message of such a ring leaves at the same instant from the same place in every node. A node sees its neighbours
// alone, so that in a ring of three nodes, with the rounds and messages of the whole one, it goes through the same.
// This holds if turning the ring by a node maps messages onto messages and links onto links: of each hop, the links
// must be as wide and as long in every node, and two hops must share a link in every node or in none.
#pragma once

#include "platforms/code/spec/spec.hpp"
#include "sim/group/group_plan.hpp"

#include <memory>
#include <optional>

namespace gradflight {

struct FoldedRing {
  std::unique_ptr<GroupSchedule> schedule;
  GroupWork work; ///< of this schedule
};

/// `work` on three of its nodes, with the time and the critical path of all. None where its schedule is no ring through
/// more nodes than these, or where its nodes differ.
std::optional<FoldedRing> folded_ring(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

} // namespace gradflight
