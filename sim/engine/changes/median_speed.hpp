// The reference for stragglers: the median speed of some ranks at each time.
#pragma once

#include "sim/engine/changes/changes.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace gradflight {

/// Of the two middle ranks, the faster one counts. The median follows the changes of speed during the run: a change
/// costs at most O(ranks) moves, a question O(log changes) of the work it asks about.
class MedianSpeed {
public:
  /// `places`: of the ranks, at least one. `speeds` must outlive this.
  MedianSpeed(const Speeds& speeds, std::span<const std::int32_t> places);

  /// Returns how long work of `work` seconds at speed 1 takes at the median speed (seconds). It begins at `begin`, not
  /// before `now`, which must never decrease. Infinity: it never ends, or more than half of the ranks are down for a
  /// whole period of the changes.
  [[nodiscard]] double seconds(double now, double begin, double work);

private:
  struct Pending {
    double time; ///< of the place's next change
    std::int32_t place;
    double rate; ///< speed until then
    bool operator>(const Pending& other) const { return time > other.time; }
  };
  struct Step {
    double at, slowness; ///< from `at` on: 1 / speed; infinity: down
    double done;         ///< work since the first step
    [[nodiscard]] double done_at(double time) const { return done + (time - at) / slowness; }
  };
  [[nodiscard]] double slowness() const;
  [[nodiscard]] bool is_stopped_forever() const;
  [[nodiscard]] double next_change() const { return pending_.empty() ? ChangeCalendar::never : pending_.front().time; }
  void follow_change();

  const Speeds& speeds_;
  std::vector<double> rates_;    ///< of all places after the last change, sorted
  std::vector<Pending> pending_; ///< a heap, the earliest first
  std::deque<Step> steps_;       ///< sorted, from the step at the time of the last question
};

} // namespace gradflight
