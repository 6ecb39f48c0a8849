#include "sim/engine/changes/median_speed.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace gradflight {

MedianSpeed::MedianSpeed(const Speeds& speeds, std::span<const std::int32_t> places) : speeds_(speeds) {
  for (const std::int32_t place : places) {
    rates_.push_back(speeds.rate(place, 0));
    if (const double next = speeds.next(place, 0); next < ChangeCalendar::never)
      pending_.push_back({next, place, rates_.back()});
  }
  if (pending_.empty()) { // only the median is needed, and it stays
    const auto middle = rates_.begin() + std::ssize(rates_) / 2;
    std::ranges::nth_element(rates_, middle);
    rates_ = {*middle};
  }
  std::ranges::sort(rates_);
  std::ranges::make_heap(pending_, std::greater<>());
  steps_.push_back({0, slowness(), 0});
}

double MedianSpeed::slowness() const {
  const double rate = rates_[rates_.size() / 2];
  return rate > 0 ? 1 / rate : ChangeCalendar::never;
}

/// Makes one step of all changes at one instant.
void MedianSpeed::follow_change() {
  const double now = pending_.front().time;
  while (next_change() == now) {
    std::ranges::pop_heap(pending_, std::greater<>());
    Pending& pending = pending_.back();
    const double rate = speeds_.rate(pending.place, now);
    rates_.erase(std::ranges::lower_bound(rates_, pending.rate));
    rates_.insert(std::ranges::lower_bound(rates_, rate), rate);
    pending.rate = rate;
    pending.time = speeds_.next(pending.place, now);
    if (pending.time < ChangeCalendar::never)
      std::ranges::push_heap(pending_, std::greater<>());
    else
      pending_.pop_back();
  }
  if (slowness() == steps_.back().slowness) return;
  steps_.push_back({now, slowness(), steps_.back().done_at(now)});
}

/// Returns whether the last step has speed 0 and no later change gives it a speed, or not soon.
bool MedianSpeed::is_stopped_forever() const {
  const double since = std::max(steps_.back().at, speeds_.repeats_from());
  return pending_.empty() || next_change() - since > speeds_.longest_period();
}

double MedianSpeed::seconds(double now, double begin, double work) {
  while (next_change() <= begin) follow_change();
  while (steps_.size() > 1 && steps_[1].at <= now) steps_.pop_front();
  const auto next = std::ranges::upper_bound(std::next(steps_.begin()), steps_.end(), begin, {}, &Step::at);
  const Step& first = *std::prev(next);
  const double at_once = work * first.slowness;
  const double stays_until = next != steps_.end() ? next->at : next_change();
  if (begin + at_once <= stays_until) return at_once;
  const double done = first.done_at(begin) + work;
  for (;;) {
    const Step& last = steps_.back();
    const bool stands = !(last.slowness < ChangeCalendar::never);
    if (!stands && last.done_at(next_change()) >= done) break;
    if (stands && is_stopped_forever()) return ChangeCalendar::never;
    follow_change();
  }
  const auto after = std::ranges::lower_bound(std::next(steps_.begin()), steps_.end(), done, {}, &Step::done);
  const Step& last = *std::prev(after);
  return last.at + (done - last.done) * last.slowness - begin;
}

} // namespace gradflight
