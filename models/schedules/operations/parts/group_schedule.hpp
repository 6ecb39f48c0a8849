// The schedule of an operation among the members of a process group: a pure function from (lane, member, index) to a
// step.
//
// A lane is a sequence of steps that a member carries out in order; its lanes run side by side. A message goes from a
// lane to the same lane of another member. Messages between two members on one lane match in the order of their steps.
// Nothing is stored per step, so memory stays O(members) for any size.
#pragma once

#include "models/collectives/hop_cost.hpp"
#include "models/collectives/operation.hpp"
#include "models/schedules/parts/schedule.hpp"

#include <memory>
#include <vector>

namespace gradflight {

/// A step of a lane. Engines read only the counts of step.out and step.in: elements on the wire, which need not be
/// adjacent (contents). step.wait_sent waits for what the member has sent on this lane.
struct LaneStep {
  Step step;
  /// The step begins only after lane `after_lane` of the same member has ended `after_steps` steps, with all received
  /// data combined; -1: it waits for no other lane.
  int after_lane = -1;
  std::int64_t after_steps = 0;
  bool is_destination = false; ///< the rank keeps the received data and does not forward them: HopCosts::copy_rate
  Primitive primitive = Primitive::send; ///< that sends its message
};

/// Content of a message: elements [range.first, + count) of the vector that belongs from `source` to `target`.
/// all_reduce, reduce and barrier: of every member's vector (both no_rank). broadcast: of the root's (both no_rank).
/// all_gather, gather: of the block that `source` gives (target no_rank). reduce_scatter, scatter: of the block that
/// `target` gets (source no_rank). alltoall, sendrecv: both. Ranges count from the beginning of that block.
struct Piece {
  int source = no_rank, target = no_rank;
  Range range;
  friend bool operator==(const Piece&, const Piece&) = default;
};

class GroupSchedule {
public:
  virtual ~GroupSchedule() = default;
  /// Number of ranks of the group; they are members 0..ranks()-1.
  [[nodiscard]] virtual int ranks() const = 0;
  /// Number of ranks and helpers without data: switches that reduce.
  [[nodiscard]] virtual int members() const { return ranks(); }
  [[nodiscard]] virtual int lanes() const { return 1; }
  /// Whether some lane of a member may wait for this one (LaneStep::after_lane).
  [[nodiscard]] virtual bool awaited(int /*lane*/) const { return lanes() > 1; }
  /// Number of a library's channels that this lane represents; a message of the lane is one message of each.
  [[nodiscard]] virtual int together(int /*lane*/) const { return 1; }
  /// Whether on each lane two members exchange at most one message in each direction.
  [[nodiscard]] virtual bool one_message_a_pair() const { return false; }
  /// Whether some message goes to the network by way of another member (Step::by).
  [[nodiscard]] virtual bool relayed() const { return false; }
  /// The NIC of its node that a member uses on this lane for messages to and from other nodes.
  [[nodiscard]] virtual std::int16_t nic(int /*lane*/, int /*member*/) const { return any_nic; }
  [[nodiscard]] virtual std::int64_t steps(int lane, int member) const = 0;
  [[nodiscard]] virtual LaneStep step(int lane, int member, std::int64_t index) const = 0;
  /// Number of periods of the lane with the fewest. Periods are rounds of the same messages, one after another on each
  /// lane; what remains of a vector follows the last one. 0: nothing repeats.
  [[nodiscard]] virtual std::int64_t periods() const { return 0; }
  /// Number of a member's steps on a lane in each period.
  [[nodiscard]] virtual std::int64_t period_steps(int /*lane*/, int /*member*/) const { return 0; }
  /// The same schedule with `periods` fewer periods on each lane. It leaves out part of the vector, so only its times
  /// are valid. Null if nothing repeats.
  [[nodiscard]] virtual std::unique_ptr<GroupSchedule> shortened(std::int64_t /*periods*/) const { return nullptr; }
  /// Whether another schedule has the same messages in the same order, wherever their data lie in the vector. May
  /// return false although it has.
  [[nodiscard]] virtual bool same_messages(const GroupSchedule& /*other*/) const { return false; }
  /// The same rounds of messages among only the first `members`, a multiple of `apart`. Only its times are valid, if
  /// all members whose numbers differ by `apart` do the same. Null if they do not.
  [[nodiscard]] virtual std::unique_ptr<GroupSchedule> folded(int /*apart*/, int /*members*/) const { return nullptr; }
  /// For each member the member that does on `lane` what it does on `model`, step by step with equally much data, also
  /// where steps wait for other lanes. Empty if it is not known to exist.
  [[nodiscard]] virtual std::vector<int> doing_alike(int /*lane*/, int /*model*/) const { return {}; }
  /// The same schedule with only these lanes, in this order; lanes that wait for each other stay together. It leaves
  /// out part of the vector, so only its times are valid. Null if it cannot leave out lanes.
  [[nodiscard]] virtual std::unique_ptr<GroupSchedule> with_lanes(const std::vector<int>& /*lanes*/) const {
    return nullptr;
  }
  /// Appends the contents of this step's message to `pieces`; their counts add up to step.out.count.
  virtual void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const = 0;
};

} // namespace gradflight
