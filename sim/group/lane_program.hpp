// The operations of one lane of a member of a process group.
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"
#include "sim/plan/op.hpp"

#include <vector>

namespace gradflight {

class LaneProgram final : public Program {
public:
  /// `gamma`, `copy`: seconds to reduce an element, and to copy an element that is kept. Runs all steps `repeats`
  /// times. `schedule` must outlive this.
  LaneProgram(const GroupSchedule& schedule, int lane, int member, double gamma, double copy, int repeats = 1);
  bool next(Op& op) override;

private:
  enum class At : std::uint8_t { wait, step, copy, signal, mark, end };
  /// Number of messages to and from a peer. Messages match in the order of the steps, not of their arrival.
  struct Peer {
    int member = 0;
    std::int64_t sent = 0, received = 0;
  };
  Peer& peer(int member);
  void lay(StepOp& op, const LaneStep& next);

  const GroupSchedule& schedule_;
  int lane_, member_;
  double gamma_, copy_;
  int repeats_, repeat_ = 0;
  bool awaited_ = false; ///< some lane of this member waits for this lane
  At at_ = At::wait;
  std::int64_t step_ = 0, steps_;
  LaneStep next_;
  std::vector<Peer> peers_; ///< empty if every pair exchanges at most one message
};

} // namespace gradflight
