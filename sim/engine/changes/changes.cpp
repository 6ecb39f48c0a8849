#include "sim/engine/changes/changes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace gradflight {

ChangeCalendar::ChangeCalendar(std::span<const PlatformChange> changes) {
  for (const PlatformChange& change : changes) {
    if (!change.of_link()) continue;
    times_.add(change.times());
    changes_.push_back(change);
  }
}

void ChangeCalendar::take(std::vector<const PlatformChange*>& due) {
  due.clear();
  for (const double now = next(); now < never && next() == now;) due.push_back(&changes_[times_.take()]);
}

double ChangeCalendar::next_on(const std::vector<bool>& of) const {
  double next = never;
  for (const Occurrences::Pending& pending : times_.pending())
    if (of[static_cast<std::size_t>(changes_[pending.number].target)]) next = std::min(next, pending.time);
  return next;
}

bool ChangeCalendar::revives(const LinkState& links) const {
  return std::ranges::any_of(times_.pending(), [&](const Occurrences::Pending& pending) {
    const PlatformChange& change = changes_[pending.number];
    return change.what == PlatformChange::What::link_state && change.value > 0 && !links.up(change.target);
  });
}

std::vector<std::int32_t> changed_links(std::span<const PlatformChange> changes, std::size_t links, double until) {
  using History = std::vector<std::tuple<PlatformChange::What, double, double, double>>;
  std::map<std::int32_t, History> histories; // of each link
  for (const PlatformChange& change : changes)
    if (change.of_link() && change.at < until)
      histories[change.target].emplace_back(change.what, change.at, change.period, change.value);
  std::map<History, std::int32_t> numbers;
  std::vector<std::int32_t> changed(links, 0);
  for (const auto& [link, history] : histories)
    changed[static_cast<std::size_t>(link)] =
        numbers.emplace(history, static_cast<std::int32_t>(numbers.size()) + 1).first->second;
  return changed;
}

std::vector<std::optional<double>> mean_bandwidths(std::span<const PlatformChange> changes,
                                                   std::span<const double> bandwidths, double until) {
  std::vector<std::optional<double>> means(bandwidths.size());
  ChangeCalendar calendar(changes);
  LinkState links(bandwidths);
  struct Carried {
    double bytes = 0, since = 0;
  };
  std::map<std::int32_t, Carried> carried; // bytes that each link could have carried
  std::vector<const PlatformChange*> due;
  while (calendar.next() < until) {
    const double now = calendar.next();
    calendar.take(due);
    for (const PlatformChange* change : due) {
      if (change->what == PlatformChange::What::latency) continue;
      Carried& of = carried[change->target];
      of.bytes += links.bandwidth(change->target) * (now - of.since);
      of.since = now;
      if (change->what == PlatformChange::What::bandwidth)
        links.set_bandwidth(change->target, change->value);
      else
        links.set_up(change->target, change->value > 0);
    }
  }
  for (const auto& [link, of] : carried)
    means[static_cast<std::size_t>(link)] =
        of.since > 0 ? (of.bytes + links.bandwidth(link) * (until - of.since)) / until : links.bandwidth(link);
  return means;
}

Speeds::Speeds(std::span<const PlatformChange> changes, const Platform& platform) : platform_(platform) {
  for (const PlatformChange& change : changes) {
    if (change.of_link()) continue;
    which_.resize(platform.places().size(), -1);
    std::int32_t& which = which_[static_cast<std::size_t>(change.target)];
    if (which < 0) {
      which = static_cast<std::int32_t>(of_place_.size());
      of_place_.emplace_back();
    }
    OfPlace& of = of_place_[static_cast<std::size_t>(which)];
    const bool speed = change.what == PlatformChange::What::compute_speed;
    Profile& profile = speed ? of.speed : of.state;
    if (!profile.changes()) profile = Profile(1, change.period);
    (speed ? of.speed_entries : of.state_entries).push_back(change.entry);
    profile.add(change.at, speed ? change.value / platform.place(change.target).compute_speed : change.value);
    longest_period_ = std::max(longest_period_, change.period);
    if (change.period <= 0) repeats_from_ = std::max(repeats_from_, change.at);
  }
}

/// Returns the work done from one time to another.
double Speeds::OfPlace::done(double from, double to) const {
  double work = 0;
  for (double now = from; now < to;) {
    const double until = std::min({to, speed.next(now), state.next(now)});
    work += rate(now) * (until - now);
    now = until;
  }
  return work;
}

double Speeds::OfPlace::down(double from, double to) const {
  const double period = state.period(),
               rounds = period > 0 && from >= state.first() ? std::floor((to - from) / period) : 0;
  if (rounds > 1) return rounds * down(from, from + period) + down(from + rounds * period, to);
  double seconds = 0;
  for (double now = from; now < to;) {
    const double until = std::min(to, state.next(now));
    if (state.value(now) == 0) seconds += until - now;
    now = until;
  }
  return seconds;
}

double Speeds::down(std::int32_t place, double from, double to) const {
  const OfPlace* of = changes_of(place);
  return of == nullptr || !of->state.changes() ? 0 : of->down(from, to);
}

/// Returns how many whole periods lie between two times before the profile with another period, or with none, changes.
double Speeds::OfPlace::whole_periods(double from, double to) const {
  const bool by_speed = speed.period() > 0;
  const Profile &one = by_speed ? speed : state, &other = by_speed ? state : speed;
  if (one.period() <= 0 || from < one.first()) return 0;
  return std::floor((std::min(to, other.next(from)) - from) / one.period());
}

/// Adds `times` the costs.
void Speeds::OfPlace::add_costs(double from, double to, double times, std::vector<Cost>& costs) const {
  for (double now = from; now < to;) {
    if (const double rounds = whole_periods(now, to); rounds > 1) {
      const double period = speed.period() > 0 ? speed.period() : state.period();
      add_costs(now, now + period, times * rounds, costs);
      now += rounds * period;
      continue;
    }
    const double until = std::min({to, speed.next(now), state.next(now)});
    const bool down = state.value(now) == 0;
    const double seconds = times * (until - now) * (down ? 1 : 1 - speed.value(now));
    if (seconds != 0) {
      const auto step = static_cast<std::size_t>(down ? state.in_force(now) : speed.in_force(now));
      const PlatformChange::What what = down ? PlatformChange::What::place_state : PlatformChange::What::compute_speed;
      const std::int32_t entry = (down ? state_entries : speed_entries)[step];
      const auto known = std::ranges::find_if(costs, [&](const Cost& c) { return c.what == what && c.entry == entry; });
      if (known != costs.end())
        known->seconds += seconds;
      else
        costs.push_back({what, entry, seconds});
    }
    now = until;
  }
}

void Speeds::find_costs(std::int32_t place, double from, double to, std::vector<Cost>& costs) const {
  costs.clear();
  if (const OfPlace* of = changes_of(place)) of->add_costs(from, to, 1, costs);
}

double Speeds::rate(std::int32_t place, double time) const {
  const OfPlace* of = changes_of(place);
  return platform_.place(place).compute_speed * (of == nullptr ? 1 : of->rate(time));
}

double Speeds::next(std::int32_t place, double time) const {
  const OfPlace* of = changes_of(place);
  return of == nullptr ? ChangeCalendar::never : std::min(of->speed.next(time), of->state.next(time));
}

/// Skips many periods in one step. Returns the time from which `left` is left.
double Speeds::skip_periods(const OfPlace& of, double now, double& left) {
  const bool by_speed = of.speed.period() > 0;
  const Profile &one = by_speed ? of.speed : of.state, &other = by_speed ? of.state : of.speed;
  const double period = one.period();
  if (period <= 0 || other.period() > 0 || other.next(now) < ChangeCalendar::never || now < one.first()) return now;
  const double each = of.done(now, now + period), rounds = each > 0 ? std::floor(left / each) - 1 : 0;
  if (each <= 0) left = ChangeCalendar::never;
  if (rounds < 1) return now;
  left -= rounds * each;
  return now + rounds * period;
}

double Speeds::end(std::int32_t place, double begin, double seconds) const {
  const OfPlace* changes = changes_of(place);
  if (changes == nullptr || !(begin < ChangeCalendar::never)) return begin + seconds;
  const OfPlace& of = *changes;
  double now = begin, left = seconds;
  bool skipped = false;
  for (;;) {
    const double next = std::min(of.speed.next(now), of.state.next(now)), rate = of.rate(now);
    const double end = rate > 0 ? now + left / rate : ChangeCalendar::never;
    if (end <= next) return end;
    left -= rate * (next - now);
    now = next;
    if (skipped) continue;
    const double later = skip_periods(of, now, left);
    if (!(left < ChangeCalendar::never)) return left;
    skipped = later > now || left < seconds / 2;
    now = later;
  }
}

std::optional<double> Speeds::down_since(std::int32_t place) const {
  const OfPlace* of = changes_of(place);
  const double since = of == nullptr ? ChangeCalendar::never : of->state.zero_from();
  return since < ChangeCalendar::never ? std::optional(since) : std::nullopt;
}

} // namespace gradflight
