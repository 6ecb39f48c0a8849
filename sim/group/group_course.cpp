#include "sim/group/group_course.hpp"

#include <algorithm>

namespace gradflight {

GroupCourse::GroupCourse(const GroupSchedule& schedule, int repeats) : repeats_(static_cast<std::size_t>(repeats)) {
  for (Repeat& repeat : repeats_) repeat.schedule = &schedule;
}

void GroupCourse::leave_out_periods(std::int64_t streams) {
  streams_ = streams;
  steady_ = SteadyPeriods(streams);
  for (Repeat& repeat : repeats_) repeat.marks = std::clamp<std::int64_t>(repeat.schedule->periods(), 1, most_marked);
}

void GroupCourse::marked(double time, bool last) {
  if (streams_ == 0) return;
  steady_.marked(time);
  if (!last) return;
  Repeat& ending = repeats_[ending_];
  ++all_;
  if (++set_ == ending.marks) {
    ++ending_;
    set_ = 0;
    steady_ = SteadyPeriods(streams_);
  } else if (!ending.left_out) {
    if (const auto even = steady_.ended()) leave_out(ending, *even);
  }
}

/// Keeps at least one period that no member has begun.
void GroupCourse::leave_out(Repeat& repeat, const EvenStretch& like) {
  if (repeat.begun == repeat.marks) return;
  std::int64_t more = repeat.schedule->periods() - (repeat.begun + 1);
  if (like.uneven == 0) more -= more % like.periods;
  if (more <= 0) return;
  repeat.shortened = repeat.schedule->shortened(more);
  repeat.schedule = repeat.shortened.get();
  repeat.marks = std::min(repeat.schedule->periods(), most_marked);
  repeat.left_out = LeftOut{more, like, all_ - 1};
}

} // namespace gradflight
