// What stragglers are measured against: the speed that the median of some ranks has at each time.
#pragma once

#include "sim/engine/changes/changes.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace gradflight {

/// Of two ranks in the middle, the faster one counts. It follows the changes of speed as the run goes on: a change
/// costs O(ranks) moves at most, and a question O(log changes) of the work that it is about.
class MedianSpeed {
public:
  /// `places`: of the ranks, at least one. `speeds` stays where it is.
  MedianSpeed(const Speeds& speeds, std::span<const std::int32_t> places);

  /// What work of `work` seconds at speed 1 takes at this speed (seconds), if it begins at `begin`, which is never
  /// earlier than the time before. Infinity: it never ends, or more than half of the ranks are down for a whole period
  /// of changes that repeat.
  [[nodiscard]] double seconds(double begin, double work);

private:
  struct Pending {
    double time; ///< of the place's next change
    std::int32_t place;
    double rate; ///< until then
    bool operator>(const Pending& other) const { return time > other.time; }
  };
  struct Step {
    double at, slowness; ///< from `at` on: 1 / speed; infinity: it is down
    double done;         ///< work since the first step
    [[nodiscard]] double done_at(double time) const { return done + (time - at) / slowness; }
  };
  [[nodiscard]] double slowness() const;
  [[nodiscard]] bool stands_for_good() const;
  [[nodiscard]] double next_change() const { return pending_.empty() ? ChangeCalendar::never : pending_.front().time; }
  void follow_change();

  const Speeds& speeds_;
  std::vector<double> rates_;    ///< of all places, as the last change has left them, in order
  std::vector<Pending> pending_; ///< a heap, the earliest first
  std::deque<Step> steps_;       ///< in order, from the one that the last question began in
};

} // namespace gradflight
