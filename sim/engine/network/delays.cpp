#include "sim/engine/network/delays.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace gradflight {
namespace {

/// Seconds of each link, for a few links at a time.
class SecondsByLink {
public:
  explicit SecondsByLink(std::size_t links) : seconds_(links, 0) {}
  void add(std::int32_t link, double seconds) {
    const auto at = static_cast<std::size_t>(link);
    if (seconds_.size() <= at) seconds_.resize(at + 1, 0); // notes follow the links
    double& sum = seconds_[at];
    if (sum == 0) named_.push_back(link);
    sum += seconds;
  }
  /// Returns all of them in the order of the links and clears them.
  std::vector<LinkDelay> take() {
    std::sort(named_.begin(), named_.end());
    std::vector<LinkDelay> taken;
    taken.reserve(named_.size());
    for (const std::int32_t link : named_)
      taken.push_back({link, std::exchange(seconds_[static_cast<std::size_t>(link)], 0)});
    named_.clear();
    return taken;
  }

private:
  std::vector<double> seconds_;
  std::vector<std::int32_t> named_;
};

} // namespace

DelayId Delays::scaled(DelayId last, DelayId from, double factor) {
  std::vector<Delay> behind;
  for (DelayId d = last; d != from && d != 0; d = all_[d].before) behind.push_back(all_[d]);
  DelayId scaled = from;
  for (auto d = behind.rbegin(); d != behind.rend(); ++d)
    scaled = add(scaled, d->link, d->link < count() ? d->seconds * factor : d->seconds);
  return scaled;
}

std::int32_t Delays::kind(std::int32_t link) {
  if (kinds_.empty()) {
    std::map<std::tuple<LinkTier, LinkType, int>, std::int32_t> numbers;
    for (const auto& some : {links_, stages_})
      for (const DirectedLink& l : some)
        kinds_.push_back(
            numbers
                .emplace(std::tuple(l.role.tier, l.role.type, l.role.level), static_cast<std::int32_t>(numbers.size()))
                .first->second);
  }
  return kinds_[static_cast<std::size_t>(link)];
}

void Delays::compact(std::span<DelayId* const> paths) {
  std::vector<std::uint32_t> named(all_.size(), 0); // how often, by paths and by delays that are named themselves
  std::vector<bool> ends(all_.size(), false);       // ends of common stretches: paths end or part here
  for (const DelayId* path : paths) {
    ++named[*path];
    ends[*path] = true;
  }
  for (DelayId d = static_cast<DelayId>(all_.size()); --d > 0;)
    if (named[d] > 0 && ++named[all_[d].before] > 1) ends[all_[d].before] = true;
  ends[0] = true;

  std::vector<Delay> kept(1);
  std::vector<DelayId> now_named(all_.size(), 0);
  SecondsByLink stretch(static_cast<std::size_t>(count()));
  for (DelayId d = 1; d < all_.size(); ++d) {
    if (named[d] == 0 || !ends[d]) continue;
    DelayId from = d;
    do {
      stretch.add(all_[from].link, all_[from].seconds);
      from = all_[from].before;
    } while (!ends[from]);
    DelayId last = now_named[from];
    for (const LinkDelay& sum : stretch.take()) {
      kept.push_back({last, sum.link, sum.seconds});
      last = static_cast<DelayId>(kept.size() - 1);
    }
    now_named[d] = last;
  }
  for (DelayId* path : paths) *path = now_named[*path];
  all_ = std::move(kept);
  // Leave room for somewhat more delays than a pass over all paths and links is worth.
  limit_ = std::max({few, 2 * all_.size(), 4 * (paths.size() + links_.size() + stages_.size())});
}

std::vector<LinkDelay> Delays::sums(DelayId last) const {
  if (last == 0) return {};
  SecondsByLink sums(static_cast<std::size_t>(count()));
  for (DelayId d = last; d != 0; d = all_[d].before) sums.add(all_[d].link, all_[d].seconds);
  return sums.take();
}

std::size_t Delays::between(DelayId from, DelayId last, std::vector<LinkDelay>& found) const {
  found.clear();
  std::size_t count = 0;
  for (DelayId d = last; d != from; d = all_[d].before, ++count) found.push_back({all_[d].link, all_[d].seconds});
  std::ranges::stable_sort(found, {}, &LinkDelay::link);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (kept > 0 && found[kept - 1].link == found[i].link)
      found[kept - 1].seconds += found[i].seconds;
    else
      found[kept++] = found[i];
  found.resize(kept);
  found.shrink_to_fit();
  return count;
}

std::vector<LinkDelay> Delays::links_on(DelayId last) const {
  std::vector<LinkDelay> all;
  for (const LinkDelay& sum : sums(last)) {
    if (sum.link < count()) {
      all.push_back(sum);
      continue;
    }
    const Note& note = notes_[static_cast<std::size_t>(sum.link - count())];
    if (note.kind != Note::Kind::traffic) continue;
    const auto link = std::ranges::find(all, note.target, &LinkDelay::link);
    if (link != all.end()) link->traffic |= note.traffic;
  }
  return all;
}

Delays::Events Delays::events(DelayId from, DelayId last) const {
  struct Sum {
    double seconds = 0, magnitude = 0;
  };
  std::map<std::int32_t, Sum> sums; // of each note
  Events events;
  while (from != last) { // up to where the paths part; each delay has a higher number than the one before
    const bool own = last > from;
    DelayId& later = own ? last : from;
    const Delay& delay = all_[later];
    later = delay.before;
    if (delay.link < count()) continue;
    Sum& sum = sums[delay.link - count()];
    sum.seconds += own ? delay.seconds : -delay.seconds;
    sum.magnitude += std::abs(delay.seconds);
    if (own) events.traffic |= notes_[static_cast<std::size_t>(delay.link - count())].traffic;
  }
  for (const auto& [number, sum] : sums) {
    const Note& note = notes_[static_cast<std::size_t>(number)];
    if (std::abs(sum.seconds) <= 1e-12 * sum.magnitude) continue; // both paths have it: rounding is left
    if (note.kind == Note::Kind::outage) events.outages.push_back({note.target, sum.seconds});
    if (note.kind == Note::Kind::cost) events.costs.push_back({note.what, note.target, note.entry, sum.seconds});
  }
  return events;
}

void Delays::begin_outage(std::int32_t link, std::int32_t number) {
  outages_.resize(static_cast<std::size_t>(count()), 0);
  std::int32_t& latest = outages_[static_cast<std::size_t>(link)];
  const Note outage{Note::Kind::outage, {}, number, 0, 0};
  if (notes_[static_cast<std::size_t>(latest)] != outage) latest = note(outage);
}

DelayId Delays::add_traffic(DelayId before, std::int32_t link, std::uint64_t entries) {
  std::int32_t& own = traffic_[{link, entries}];
  if (own == 0) own = note({Note::Kind::traffic, {}, link, 0, entries});
  return add(before, count() + own, 1);
}

void Delays::watch(std::span<const PlatformChange> changes) {
  for (const PlatformChange& change : changes) {
    if (change.what == What::link_state) continue; // outages
    watches_ = true;
    if (change.of_link())
      in_force_[change.what == What::latency ? latencies : bandwidths].resize(static_cast<std::size_t>(count()), -1);
  }
}

DelayId Delays::add_cost(DelayId before, What what, std::int32_t target, std::int32_t entry, double seconds) {
  if (entry < 0 || seconds == 0) return before; // no change of the scenario
  std::int32_t& own = costs_[{what, target, entry}];
  if (own == 0) own = note({Note::Kind::cost, what, target, entry, 0});
  return add(before, count() + own, seconds);
}

} // namespace gradflight
