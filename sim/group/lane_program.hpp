// The operations of one lane of a member of a process group.
#pragma once

#include "sim/group/group_course.hpp"
#include "sim/plan/op.hpp"

#include <vector>

namespace gradflight {

class LaneProgram final : public Program {
public:
  /// `gamma`, `copy`: seconds to reduce an element, and to copy an element that is kept. The schedule, or all of the
  /// course instead of it, must outlive this. Without a course, the only mark follows the last step.
  LaneProgram(const GroupSchedule& schedule, int lane, int member, double gamma, double copy);
  LaneProgram(GroupCourse& course, int lane, int member, double gamma, double copy);
  bool next(Op& op) override;

private:
  enum class At : std::uint8_t { wait, step, copy, signal, end };
  /// Number of messages to and from a peer. Messages match in the order of the steps, not of their arrival.
  struct Peer {
    int member = 0;
    std::int64_t sent = 0, received = 0;
  };
  void begin_mark();
  void next_mark();
  [[nodiscard]] std::int64_t steps_before(int lane) const;
  Peer& peer(int member);
  void lay(StepOp& op, const LaneStep& next);

  const GroupSchedule* schedule_; ///< of this repeat
  GroupCourse* course_ = nullptr;
  int lane_, member_;
  double gamma_, copy_;
  int repeat_ = 0;
  bool awaited_ = false; ///< some lane of this member waits for this lane
  bool repeats_ = false;
  At at_ = At::wait;
  std::int64_t step_ = 0;
  std::int64_t mark_ = 0, mark_at_ = 0; ///< of this repeat: number of the next mark, and of steps before it
  std::int64_t marks_set_ = 0;          ///< of all repeats
  LaneStep next_;
  std::vector<Peer> peers_; ///< empty if every pair exchanges at most one message
};

} // namespace gradflight
