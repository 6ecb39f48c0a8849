// Values and events at given times, which may repeat: one rule for the times of all changes during a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gradflight {

/// The times of an event (seconds): `at`, or `at`, `at` + `period`, `at` + 2 `period`, ...
struct Recurrence {
  static constexpr double never = std::numeric_limits<double>::infinity();

  double at = 0, period = 0; ///< period 0: it occurs once

  [[nodiscard]] double time(double round) const { return at + round * period; }
  /// Returns the time after the one of `round`. never: it occurs once, or its period is too short for a double.
  [[nodiscard]] double after(double round) const {
    const double next = time(round + 1);
    return period > 0 && next > time(round) ? next : never;
  }
  /// Returns the last round with a time up to `until`; -1: none.
  [[nodiscard]] double last_round(double until) const;
};

/// A value that changes at given times. Either each change occurs once, or all repeat with one period.
class Profile {
public:
  static constexpr double never = Recurrence::never;

  /// `before`: the value until the first change.
  explicit Profile(double before = 1, double period = 0) : before_(before), period_(period) {}
  /// Adds a change at time `at`, after those added before. If the profile repeats, `at` is less than its period.
  void add(double at, double value) { steps_.push_back({at, value}); }

  [[nodiscard]] double value(double time) const;
  /// Returns the number of the change that is in force, from 0 in the order in which they were added; -1: none is yet.
  [[nodiscard]] std::ptrdiff_t in_force(double time) const;
  /// Returns the time of the first change after `time`; never: none.
  [[nodiscard]] double next(double time) const;
  /// Returns the time from which the value stays 0; never: it is another one again and again, or in the end.
  [[nodiscard]] double zero_from() const;
  [[nodiscard]] bool changes() const { return !steps_.empty(); }
  [[nodiscard]] double period() const { return period_; }
  /// Returns the time of the first change; never: none.
  [[nodiscard]] double first() const { return steps_.empty() ? never : steps_.front().at; }

private:
  struct Step {
    double at, value;
  };
  [[nodiscard]] Recurrence first_change() const { return {steps_.front().at, period_}; }
  /// Returns the first change after `time` in a round.
  [[nodiscard]] std::vector<Step>::const_iterator after(double time, double round) const;

  double before_, period_;
  std::vector<Step> steps_;
};

/// The times of many events, in order.
class Occurrences {
public:
  static constexpr double never = Recurrence::never;

  /// Adds an event. Events have numbers, from 0 in the order in which they are added.
  void add(Recurrence times);
  /// Returns the time of the next event; never: none.
  [[nodiscard]] double next() const { return next_; }
  /// Removes the next event, of several at one time the one with the lowest number, and returns its number.
  std::size_t take();

  struct Pending {
    double time;
    std::uint32_t number;
    double round; ///< how often the event has occurred before
    bool operator>(const Pending& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };
  /// Returns the next time of each event that occurs again, in no order.
  [[nodiscard]] std::span<const Pending> pending() const { return pending_; }

private:
  std::vector<Recurrence> events_;
  std::vector<Pending> pending_; ///< a heap, the earliest first
  double next_ = never;
};

} // namespace gradflight
