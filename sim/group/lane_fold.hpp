// Lanes that do the same with other members: one of them is enough to simulate.
//
// NCCL's channels go through the GPUs and NICs of each node in different orders. On an even machine, each message of a
// channel has a counterpart in every other channel, and each link has one in the other channels' places: a set of
// links as large as the set of channels. If every link of such a set carries the counterparts of the same messages,
// all counterparts move alike. So the messages of one channel suffice, on one link of each set.
#pragma once

#include "platforms/code/spec/spec.hpp"
#include "sim/group/group_plan.hpp"

#include <optional>

namespace gradflight {

/// Returns `work` with the first lane of those that do the same, with the time and the critical path of all. Returns
/// nothing if no lanes are alike, if links of one set differ, or if members' own work would be shared among lanes.
std::optional<FoldedWork> folded_lanes(const PlatformSpec& spec, const Platform& platform, const GroupWork& work);

} // namespace gradflight
