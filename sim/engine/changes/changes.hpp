// When the platform changes: which changes come next, and how fast a place computes at any time.
//
// Changes are not events of the calendar, because repeating ones would keep a run from ending. The executor asks for
// the next change in addition to the next event.
#pragma once

#include "base/profile.hpp"
#include "platforms/code/changes.hpp"
#include "sim/engine/network/link_state.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gradflight {

/// Changes of links, repeating ones included.
class ChangeCalendar {
public:
  static constexpr double never = Recurrence::never;

  /// Ignores changes of places, which Speeds handles.
  explicit ChangeCalendar(std::span<const PlatformChange> changes);

  [[nodiscard]] bool any() const { return !changes_.empty(); }
  [[nodiscard]] double next() const { return times_.next(); }
  /// Fills `due` with all changes at time next(), in the order of the list. Afterwards next() is later.
  void take(std::vector<const PlatformChange*>& due);
  /// Returns the time of the earliest pending change of a link marked in `of`; never: none.
  [[nodiscard]] double next_on(const std::vector<bool>& of) const;
  /// Returns whether some link that is down now will come up again.
  [[nodiscard]] bool revives(const LinkState& links) const;

private:
  std::vector<PlatformChange> changes_;
  Occurrences times_; ///< in the order of changes_
};

/// Returns LinkResult::changed for each link of a run that ends at `until`.
std::vector<std::int32_t> changed_links(std::span<const PlatformChange> changes, std::size_t links, double until);

/// Returns each link's mean bandwidth until `until` (seconds); nothing for links that do not change before.
/// `bandwidths`: of each link without changes, in bytes per second.
std::vector<std::optional<double>> mean_bandwidths(std::span<const PlatformChange> changes,
                                                   std::span<const double> bandwidths, double until);

/// The speed of each place as a function of time: work needs no event when its speed changes.
class Speeds {
public:
  Speeds(std::span<const PlatformChange> changes, const Platform& platform);

  [[nodiscard]] bool any() const { return !of_place_.empty(); }
  /// Returns when work that begins at `begin` ends, if it takes `seconds` at the platform's own speed; infinity: never.
  [[nodiscard]] double end(std::int32_t place, double begin, double seconds) const;
  /// Returns when a place went down for good (seconds); nothing for a place that computes, or will again.
  [[nodiscard]] std::optional<double> down_since(std::int32_t place) const;
  /// Returns the speed of a place at a time; 0: it is down.
  [[nodiscard]] double rate(std::int32_t place, double time) const;
  /// Returns for how long of the time from `from` to `to` a place is down (seconds).
  [[nodiscard]] double down(std::int32_t place, double from, double to) const;
  /// What a change adds to a place's work, than if the place had its own speed and were up.
  struct Cost {
    PlatformChange::What what{};
    std::int32_t entry = 0; ///< PlatformChange::entry
    double seconds = 0;     ///< below 0: the change makes the work shorter
  };
  /// Fills `costs` with the costs of the changes in force while a place works from `from` to `to`, one for each entry.
  void find_costs(std::int32_t place, double from, double to, std::vector<Cost>& costs) const;
  /// Returns the first time after `time` at which the speed may change; ChangeCalendar::never: it stays.
  [[nodiscard]] double next(std::int32_t place, double time) const;
  /// The longest period of repeating changes (seconds), and the time after which no others come; 0: none do.
  [[nodiscard]] double longest_period() const { return longest_period_; }
  [[nodiscard]] double repeats_from() const { return repeats_from_; }

private:
  struct OfPlace {
    Profile speed, state;                                   ///< speed: relative to the platform's own
    std::vector<std::int32_t> speed_entries, state_entries; ///< of each of their changes
    [[nodiscard]] double rate(double time) const { return speed.value(time) * state.value(time); }
    [[nodiscard]] double done(double from, double to) const;
    [[nodiscard]] double down(double from, double to) const;
    [[nodiscard]] double whole_periods(double from, double to) const;
    void add_costs(double from, double to, double times, std::vector<Cost>& costs) const;
  };
  /// Null: it never changes.
  [[nodiscard]] const OfPlace* changes_of(std::int32_t place) const {
    const std::int32_t which = which_.empty() ? -1 : which_[static_cast<std::size_t>(place)];
    return which < 0 ? nullptr : &of_place_[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] static double skip_periods(const OfPlace& of, double now, double& left);

  const Platform& platform_;
  std::vector<std::int32_t> which_; ///< index of each place in of_place_; -1: it never changes
  std::vector<OfPlace> of_place_;
  double longest_period_ = 0, repeats_from_ = 0;
};

} // namespace gradflight
