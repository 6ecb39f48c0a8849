// Whether the last iterations of a run went alike, event by event.
//
// Nothing in an engine depends on the clock but changes, other traffic, random factors and iterations that differ by
// themselves; where none of these are, what happens after an instant follows from what is under way then. In a
// synchronous job all that is under way at the end of an iteration was begun since the end of the one before: a rank is
// through an exchange only when all have come to it. So if two iterations have the same events at the same times since
// their beginnings, what is under way at their ends is the same, and so are all iterations that follow, up to the first
// one in which a rank finds no further iteration to begin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace gradflight {

class IterationHistory {
public:
  /// `what`: what happens, as a number that an iteration which repeats has again.
  void happened(std::uint32_t what, double time) { open_.push_back({what, time}); }
  /// The last rank has ended an iteration.
  void iteration_ended(double time) {
    // Events at one instant come in any order, and rounding moves some of them. So those that are as good as at the end
    // belong to the next iteration.
    std::ranges::sort(open_, {}, [](const Event& e) { return std::pair(e.what, e.time); });
    const auto at_the_end = [end = time - rounding(time)](const Event& e) { return !(e.time < end); };
    std::vector<Event> next;
    std::ranges::copy_if(open_, std::back_inserter(next), at_the_end);
    std::erase_if(open_, at_the_end);
    Iteration ended{begin_, std::move(open_)};
    repeats_ = last_repeats_;
    last_repeats_ = alike(last_, ended, rounding(time));
    last_ = std::move(ended);
    open_ = std::move(next);
    begin_ = time;
  }
  /// Of a run that is over: whether the last iteration but one went as the one before it. The last one is not asked:
  /// nothing follows it.
  [[nodiscard]] bool repeats() const { return repeats_; }

private:
  struct Event {
    std::uint32_t what;
    double time;
  };
  struct Iteration {
    double begin = 0;
    std::vector<Event> events;
  };

  /// What rounding may move at `time`: the sums of a ring's 100,000 steps lose half a last digit each.
  [[nodiscard]] static double rounding(double time) { return 1e-11 * time; }
  /// Whether the same happens in both at the same times since their beginnings, to `near` seconds.
  [[nodiscard]] static bool alike(const Iteration& a, const Iteration& b, double near) {
    return !b.events.empty() && std::ranges::equal(a.events, b.events, [&](const Event& x, const Event& y) {
      return x.what == y.what && std::abs((x.time - a.begin) - (y.time - b.begin)) <= near;
    });
  }

  Iteration last_;
  bool repeats_ = false, last_repeats_ = false; ///< the last iteration but one, and the last one
  std::vector<Event> open_;
  double begin_ = 0;
};

} // namespace gradflight
