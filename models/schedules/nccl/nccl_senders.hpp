// Messages of a schedule that reach the network by way of another GPU of their sender's node.
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"

#include <memory>
#include <vector>

namespace gradflight {

/// Returns `schedule`, which has one lane, with a relay for each message to another node that its rank does not send
/// itself (Step::by). `senders`: as in nccl::PeerPlan, for nodes of this many GPUs; ranks are numbered node by node.
std::unique_ptr<GroupSchedule> with_senders(std::unique_ptr<GroupSchedule> schedule, const std::vector<int>& senders,
                                            int gpus);

} // namespace gradflight
