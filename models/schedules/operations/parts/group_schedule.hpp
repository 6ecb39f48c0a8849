// The schedule of an operation among the members of a process group: a pure function from (lane, member, index) to a
// step.
//
// A lane is a sequence of steps that a member carries out in order; its lanes go on side by side. A message goes from a
// lane to the same lane of another member, and those between two members on one lane match in the order of their steps.
// Nothing is stored for each step, so that memory stays O(members) whatever the size.
#pragma once

#include "models/collectives/hop_cost.hpp"
#include "models/collectives/operation.hpp"
#include "models/schedules/parts/schedule.hpp"

#include <memory>
#include <vector>

namespace gradflight {

/// A step of a lane. Of step.out and step.in engines read the counts alone: elements on the wire, which need not lie
/// side by side (contents). step.wait_sent waits for what the member has sent on this lane.
struct LaneStep {
  Step step;
  /// It begins only when lane `after_lane` of the same member has ended `after_steps` steps (everything received in
  /// them combined); -1: it waits for no other lane.
  int after_lane = -1;
  std::int64_t after_steps = 0;
  bool kept = false;                     ///< what it receives goes no further: HopCosts::copy_rate
  Primitive primitive = Primitive::send; ///< by which it sends
};

/// What a message carries: elements [range.first, + count) of the vector that belongs from `source` to `target`.
/// all_reduce, reduce and barrier: of every member's vector (both nobody). broadcast: of the root's (both nobody).
/// all_gather, gather: of the block that `source` gives (target nobody). reduce_scatter: of the block that `target`
/// gets (source nobody). scatter: likewise. alltoall, sendrecv: both. Ranges count from the beginning of that block.
struct Piece {
  int source = nobody, target = nobody;
  Range range;
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// What repeats in a schedule: rounds of the same messages, one after the other on each lane.
struct Periods {
  std::int64_t count = 0;   ///< of the lane that has fewest; 0: nothing repeats
  std::int64_t settles = 1; ///< after so many a steady state may be looked for
};

class GroupSchedule {
public:
  virtual ~GroupSchedule() = default;
  /// Ranks of the group; members 0..ranks()-1.
  [[nodiscard]] virtual int ranks() const = 0;
  /// Ranks, then helpers that hold no data: switches that reduce.
  [[nodiscard]] virtual int members() const { return ranks(); }
  [[nodiscard]] virtual int lanes() const { return 1; }
  /// Some lane of a member may wait for this one (LaneStep::after_lane).
  [[nodiscard]] virtual bool awaited(int /*lane*/) const { return lanes() > 1; }
  /// Channels of a library that go side by side as this lane: a message of it is so many.
  [[nodiscard]] virtual int together(int /*lane*/) const { return 1; }
  /// On no lane do two members exchange more than one message each way.
  [[nodiscard]] virtual bool one_message_a_pair() const { return false; }
  /// Some message goes to the network by way of another member (Step::by).
  [[nodiscard]] virtual bool relayed() const { return false; }
  /// The NIC of its node by which a member's messages on this lane leave for other nodes and arrive from them.
  [[nodiscard]] virtual std::int16_t nic(int /*lane*/, int /*member*/) const { return any_nic; }
  [[nodiscard]] virtual std::int64_t steps(int lane, int member) const = 0;
  [[nodiscard]] virtual LaneStep step(int lane, int member, std::int64_t index) const = 0;
  [[nodiscard]] virtual Periods periods() const { return {}; }
  /// The same with so many fewer periods on each lane, fewer than there are: for its times alone, since it leaves
  /// part of the vector out. Null where nothing repeats.
  [[nodiscard]] virtual std::unique_ptr<GroupSchedule> shortened(std::int64_t /*periods*/) const { return nullptr; }
  /// The same rounds of the same messages among the first `members` alone, a multiple of `apart`: for its times alone,
  /// where all members that are `apart` numbers apart do the same. Null where they do not.
  [[nodiscard]] virtual std::unique_ptr<GroupSchedule> folded(int /*apart*/, int /*members*/) const { return nullptr; }
  /// What the message that this step sends carries; appended to `pieces`, whose counts add up to step.out.count.
  virtual void contents(int lane, int member, std::int64_t index, std::vector<Piece>& pieces) const = 0;
};

} // namespace gradflight
