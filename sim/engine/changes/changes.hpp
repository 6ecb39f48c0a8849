// When the machine changes: what is due next, and how fast a place computes at any time.
//
// Changes are no events of the calendar: those that repeat would never let a run end. The executor asks for the next
// one beside its calendar's.
#pragma once

#include "platforms/code/changes.hpp"
#include "sim/engine/network/link_state.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace gradflight {

/// Changes of links, those that repeat again and again.
class ChangeCalendar {
public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// Those of places are left out: Speeds has them.
  explicit ChangeCalendar(std::span<const PlatformChange> changes);

  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] double next() const { return next_; }
  /// Fills `due` with all that come at next(), in the order of the list; then next() is later.
  void take(std::vector<const PlatformChange*>& due);
  /// The earliest pending change of a link that `of` has marked; never: none.
  [[nodiscard]] double next_on(const std::vector<bool>& of) const;
  /// Some link that is down now will be up again.
  [[nodiscard]] bool revives(const LinkState& links) const;

private:
  struct Pending {
    double time;
    std::uint32_t change; ///< of changes_
    std::uint64_t round;  ///< how often it has come
    bool operator>(const Pending& other) const {
      return time != other.time ? time > other.time : change > other.change;
    }
  };
  [[nodiscard]] static double time_of(const PlatformChange& change, std::uint64_t round) {
    return change.at + static_cast<double>(round) * change.period;
  }

  std::vector<PlatformChange> changes_;
  std::vector<Pending> pending_; ///< a heap, the earliest first
  double next_ = never;
  bool any_ = false;
};

/// Of each of so many links: RunResult's LinkResult::changed, where a run ends at `until`.
std::vector<std::int32_t> changed_links(std::span<const PlatformChange> changes, std::size_t links, double until);

/// Ranks that compute alike at all times.
struct SpeedKind {
  std::int32_t place = 0; ///< of one of them
  double slowness = 1;    ///< 1 / the platform's own speed
  std::int64_t ranks = 0;
};

/// Of each place, as a function of time: so work needs no event where its speed changes.
class Speeds {
public:
  Speeds(std::span<const PlatformChange> changes, const Platform& platform);

  [[nodiscard]] bool any() const { return !of_place_.empty(); }
  /// When work is over that begins at `begin` and takes `seconds` at the platform's own speed; infinity: never.
  [[nodiscard]] double end(std::int32_t place, double begin, double seconds) const;
  /// When a place went down for good (seconds); nothing of one that computes, or will again.
  [[nodiscard]] std::optional<double> down_since(std::int32_t place) const;
  /// Of ranks that live on these places; where no speed changes, those of median speed alone.
  [[nodiscard]] std::vector<SpeedKind> kinds(std::span<const std::int32_t> places) const;
  /// What the median of these ranks takes for work that it begins at `begin`, of `seconds` at speed 1; of two in the
  /// middle the faster. Infinity: never done.
  [[nodiscard]] double median_seconds(std::span<const SpeedKind> kinds, double begin, double seconds) const;

private:
  /// A value that changes at some times, which may repeat.
  struct Steps {
    struct Step {
      double at, value;
      friend bool operator==(const Step&, const Step&) = default;
    };
    std::vector<Step> steps; ///< in order
    double period = 0, before = 1;
    [[nodiscard]] double value(double time) const;
    /// The first change after `time`.
    [[nodiscard]] double next(double time) const;
    friend bool operator==(const Steps&, const Steps&) = default;
  };
  struct OfPlace {
    Steps speed, state; ///< speed: over the platform's own
    [[nodiscard]] double rate(double time) const { return speed.value(time) * state.value(time); }
    [[nodiscard]] double done(double from, double to) const;
    friend bool operator==(const OfPlace&, const OfPlace&) = default;
  };
  [[nodiscard]] bool change_alike(std::int32_t a, std::int32_t b) const;
  [[nodiscard]] static double skip_periods(const OfPlace& of, double now, double& left);

  const Platform& platform_;
  std::vector<std::int32_t> which_; ///< of each place: of of_place_, -1: it never changes
  std::vector<OfPlace> of_place_;
};

} // namespace gradflight
