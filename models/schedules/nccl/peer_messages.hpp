// The ways of NCCL's sends and receives between nodes: another GPU of the sender's node may send a message to the
// network (Step::by), and its channels may use several NICs in turn (Step::nics).
#pragma once

#include "models/nccl/peers.hpp"
#include "models/schedules/operations/parts/group_schedule.hpp"

#include <memory>

namespace gradflight {

/// Returns the number of NICs over which a message of `bytes` to another node is divided.
int peer_lanes(const nccl::PeerPlan& plan, double bytes);

/// Returns `schedule`, which has one lane, with the plan's way for each message to another node; ranks are numbered
/// node by node. With several `lanes`, each has an equal part of such messages on NICs of its own, and the first one
/// has all messages inside nodes.
std::unique_ptr<GroupSchedule> with_routes(std::unique_ptr<GroupSchedule> schedule, const nccl::PeerPlan& plan,
                                           int lanes);

} // namespace gradflight
