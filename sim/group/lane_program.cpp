#include "sim/group/lane_program.hpp"

#include <algorithm>
#include <limits>

namespace gradflight {

LaneProgram::LaneProgram(const GroupSchedule& schedule, int lane, int member, double gamma, double copy)
    : schedule_(&schedule), lane_(lane), member_(member), gamma_(gamma), copy_(copy), awaited_(schedule.awaited(lane)),
      mark_at_(schedule.steps(lane, member)) {}

LaneProgram::LaneProgram(GroupCourse& course, int lane, int member, double gamma, double copy)
    : LaneProgram(course.schedule(0), lane, member, gamma, copy) {
  course_ = &course;
  repeats_ = course.repeats() > 1;
  begin_mark();
}

/// Begins what its next mark ends.
void LaneProgram::begin_mark() {
  course_->begins(repeat_, mark_);
  schedule_ = &course_->schedule(repeat_);
  mark_at_ = mark_ + 1 < course_->marks(repeat_) ? (mark_ + 1) * schedule_->period_steps(lane_, member_)
                                                 : schedule_->steps(lane_, member_);
}

/// It has set a mark.
void LaneProgram::next_mark() {
  ++marks_set_;
  if (course_ != nullptr && ++mark_ == course_->marks(repeat_)) {
    step_ = mark_ = 0;
    ++repeat_;
  }
  if (course_ == nullptr || repeat_ == course_->repeats())
    at_ = At::end;
  else
    begin_mark();
}

/// Returns the number of a lane's steps in earlier repeats.
std::int64_t LaneProgram::steps_before(int lane) const {
  std::int64_t steps = 0;
  for (int repeat = 0; repeat < repeat_; ++repeat) steps += course_->schedule(repeat).steps(lane, member_);
  return steps;
}

bool LaneProgram::next(Op& op) {
  for (;;) {
    switch (at_) {
    case At::wait: {
      if (step_ == mark_at_) {
        op = MarkOp{marks_set_, false};
        next_mark();
        return true;
      }
      at_ = At::step;
      next_ = schedule_->step(lane_, member_, step_);
      if (next_.after_lane < 0 || next_.after_steps == 0) break;
      op = WaitOp{next_.after_lane, next_.after_steps + steps_before(next_.after_lane)};
      return true;
    }
    case At::step: {
      static constexpr StepOp blank;
      auto* there = std::get_if<StepOp>(&op);
      lay(there != nullptr ? *there : op.emplace<StepOp>(blank), next_);
      ++step_;
      at_ = next_.is_destination && copy_ > 0 ? At::copy : awaited_ ? At::signal : At::wait;
      return true;
    }
    case At::copy: { // after its sends have left: the same threads copy
      const double seconds = copy_ * static_cast<double>(next_.step.in.count);
      op = WorkOp{Resource::reducer, Part::gamma, Activity::reduce, 0, 0, seconds};
      at_ = awaited_ ? At::signal : At::wait;
      return true;
    }
    case At::signal:
      op = SignalOp{0, 0};
      at_ = At::wait;
      return true;
    case At::end: return false;
    }
  }
}

LaneProgram::Peer& LaneProgram::peer(int member) {
  // The latest peers are the most likely: a ring has two peers, a tree three.
  for (std::size_t i = peers_.size(); i-- > 0;)
    if (peers_[i].member == member) return peers_[i];
  return peers_.emplace_back(Peer{member});
}

void LaneProgram::lay(StepOp& op, const LaneStep& next) {
  const Step& step = next.step;
  op.transfer = step;
  op.transfer.out.first = op.transfer.in.first = 0;
  if (repeats_ || !schedule_->one_message_a_pair()) {
    if (step.to != no_rank) op.transfer.out.first = peer(step.to).sent++;
    if (step.from != no_rank) op.transfer.in.first = peer(step.from).received++;
  }
  if (step.to != no_rank && step.nics == NicPair{})
    op.transfer.nics = {schedule_->nic(lane_, member_), schedule_->nic(lane_, step.to)};
  op.step = static_cast<int>(std::min<std::int64_t>(step_, std::numeric_limits<int>::max()));
  op.bucket = 0;
  op.tag = op.iteration = 0;
  op.together = schedule_->together(lane_);
  op.primitive = next.primitive;
  op.combine_seconds = step.combine == Combine::take ? 0 : gamma_ * static_cast<double>(step.in.count);
}

} // namespace gradflight
