#include "sim/group/group_plan.hpp"

#include "platforms/code/platform.hpp"
#include "sim/group/lane_program.hpp"
#include "sim/plan/hop_weight.hpp"

namespace gradflight {

GroupPlan::GroupPlan(GroupWork work, const Platform& platform, bool leaves_out)
    : work_(std::move(work)), course_(*work_.schedule, work_.repeats) {
  const GroupSchedule& schedule = *work_.schedule;
  shape_.place = work_.place;
  shape_.streams = schedule.lanes();
  shape_.exchanging = schedule.lanes();
  shape_.members = schedule.members();
  shape_.iterations = 1;
  shape_.weighs_routes = true;
  shape_.named_senders = true; // schedules of groups match messages by pairs
  posted_.assign(static_cast<std::size_t>(schedule.members()), 0);
  for (int member = 0; member < schedule.members(); ++member) {
    for (int lane = 0; lane < schedule.lanes(); ++lane) shape_.quorum += schedule.steps(lane, member) > 0 ? 1 : 0;
    const double rate = platform.place(work_.place[static_cast<std::size_t>(member)]).reduce_bandwidth;
    node_.push_back(platform.place(work_.place[static_cast<std::size_t>(member)]).node);
    gamma_.push_back(member < schedule.ranks() ? work_.element_bytes * work_.hops.gamma(rate > 0 ? 1 / rate : 0) : 0);
  }
  if (leaves_out) course_.leave_out_periods(shape_.quorum);
}

PlanNames GroupPlan::names() const {
  PlanNames names;
  names.buckets.push_back(work_.name);
  for (int member = 0; member < work_.schedule->members(); ++member)
    names.roles.emplace_back(member < work_.schedule->ranks() ? "rank" : "switch, member");
  return names;
}

std::unique_ptr<Program> GroupPlan::program(int rank, int stream) {
  if (work_.schedule->steps(stream, rank) == 0) return nullptr;
  return std::make_unique<LaneProgram>(course_, stream, rank, gamma_[static_cast<std::size_t>(rank)],
                                       work_.hops.copy_rate > 0 ? work_.element_bytes / work_.hops.copy_rate : 0);
}

void GroupPlan::weigh(const StepOp& op, int rank, std::uint32_t /*message*/, double bandwidth, Weight& weight) {
  const auto node = [this](int member) { return node_[static_cast<std::size_t>(member)]; };
  const bool inside = node(rank) == node(op.transfer.to);
  const HopCost& hop = inside ? work_.hops.inside : work_.hops.between;
  weight = {};
  weight.payload = static_cast<double>(op.transfer.out.count) * work_.element_bytes;
  weight.wire = weight.payload * hop.bytes_on(bandwidth) + work_.message_bytes;
  weigh_hop(hop, op, weight.payload, bandwidth, weight);
  if (hop.post > 0) weight.least_alpha += hop.post * posted_[static_cast<std::size_t>(rank)]++;
}

} // namespace gradflight
