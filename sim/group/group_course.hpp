// The schedules of a group's operation, and of its repeats, while it runs: once its periods are even, most of those
// that no member has begun are left out.
//
// Until a member begins the last period, nothing shows that the periods will end. So what is even until then stays
// even, and the operation takes as much longer as its further periods take, however many they are.
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"
#include "sim/group/steady_periods.hpp"

namespace gradflight {

/// Periods of a repeat that are left out. They take as long as `like`, the stretch up to the mark `mark` (from 0).
struct LeftOut {
  std::int64_t periods = 0;
  EvenStretch like{};
  std::int64_t mark = 0;
};

class GroupCourse {
public:
  /// `schedule` must outlive this. Each stream marks the end of each repeat.
  GroupCourse(const GroupSchedule& schedule, int repeats);
  /// From the start: periods may be left out, so each of the `streams` marks each of the first most_marked periods of a
  /// repeat, and all that follows as one more.
  void leave_out_periods(std::int64_t streams);

  [[nodiscard]] int repeats() const { return static_cast<int>(repeats_.size()); }
  /// As it is now. What a member has begun does not change any more.
  [[nodiscard]] const GroupSchedule& schedule(int repeat) const { return *at(repeat).schedule; }
  [[nodiscard]] std::int64_t marks(int repeat) const { return at(repeat).marks; }
  /// A member begins what it marks with its mark `mark` (from 0) of a repeat.
  void begins(int repeat, std::int64_t mark) {
    Repeat& begun = repeats_[static_cast<std::size_t>(repeat)];
    if (mark >= begun.begun) begun.begun = mark + 1;
  }
  /// A stream has set its next mark, as the last of all or not.
  void marked(double time, bool last);

  /// Nothing if no period is left out of the repeat.
  [[nodiscard]] const std::optional<LeftOut>& left_out(int repeat) const { return at(repeat).left_out; }
  /// What is left of a repeat without the periods that are left out; null if none is. It moves out of this.
  [[nodiscard]] std::unique_ptr<GroupSchedule> take_shortened(int repeat) {
    return std::move(repeats_[static_cast<std::size_t>(repeat)].shortened);
  }

private:
  static constexpr std::int64_t most_marked = 1000;
  struct Repeat {
    const GroupSchedule* schedule = nullptr;
    std::unique_ptr<GroupSchedule> shortened{};
    std::int64_t marks = 1;
    std::int64_t begun = 0; ///< number of marks that some member has set or works for
    std::optional<LeftOut> left_out{};
  };
  [[nodiscard]] const Repeat& at(int repeat) const { return repeats_[static_cast<std::size_t>(repeat)]; }
  void leave_out(Repeat& repeat, const EvenStretch& like);

  std::int64_t streams_ = 0; ///< 0: nothing is left out
  std::vector<Repeat> repeats_;
  std::size_t ending_ = 0; ///< the repeat whose marks are not all set
  std::int64_t set_ = 0;   ///< number of its marks that all members have set ...
  std::int64_t all_ = 0;   ///< ... and of those of all repeats
  SteadyPeriods steady_;   ///< of this repeat
};

} // namespace gradflight
