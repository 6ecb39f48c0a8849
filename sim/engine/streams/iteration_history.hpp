// Whether the last iterations of a run had the same events at the same relative times.
//
// An engine depends on the clock only through changes, other traffic, random factors and iterations that differ by
// themselves. Without these, the events after an instant follow from what is under way then. In a synchronous job all
// that is under way at the end of an iteration began after the end of the one before: a rank ends an exchange only when
// all have entered it. So if two iterations have the same events at the same times since their beginnings, the same is
// under way at their ends. Then all following iterations are the same, up to the first in which a rank finds no further
// iteration to begin.
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
  /// `what`: a number for the event; an iteration that repeats has the same numbers.
  void happened(std::uint32_t what, double time) { open_.push_back({what, time}); }
  /// The last rank has ended an iteration.
  void iteration_ended(double time) {
    // Events at one instant come in any order, and rounding moves some of them. So events within rounding of the end
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
  /// Returns whether the last iteration but one of a finished run repeated the one before it. The last iteration does
  /// not count, because nothing follows it.
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

  /// Bound on the rounding error of `time`: the sums of a ring's 100,000 steps lose half a last digit each.
  [[nodiscard]] static double rounding(double time) { return 1e-11 * time; }
  /// Returns whether both have the same events at the same times since their beginnings, to `near` seconds.
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
