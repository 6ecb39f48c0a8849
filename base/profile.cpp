#include "base/profile.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace gradflight {

double Recurrence::last_round(double until) const {
  if (until < at) return -1;
  if (period <= 0) return 0;
  const double round = std::floor((until - at) / period); // rounded, so it may be one off
  if (time(round) > until) return round - 1;
  return time(round + 1) <= until ? round + 1 : round;
}

std::vector<Profile::Step>::const_iterator Profile::after(double time, double round) const {
  return std::ranges::upper_bound(steps_, time, {}, [&](const Step& step) {
    return Recurrence{step.at, period_}.time(round);
  });
}

std::ptrdiff_t Profile::in_force(double time) const {
  if (steps_.empty() || time < steps_.front().at) return -1;
  const auto later = after(time, first_change().last_round(time));
  // A time that is too large for rounds of its own may come before the first change of the round found.
  return (later == steps_.begin() ? steps_.end() : later) - steps_.begin() - 1;
}

double Profile::value(double time) const {
  const std::ptrdiff_t step = in_force(time);
  return step < 0 ? before_ : steps_[static_cast<std::size_t>(step)].value;
}

double Profile::next(double time) const {
  if (steps_.empty()) return never;
  const double round = std::max(0.0, first_change().last_round(time));
  if (const auto later = after(time, round); later != steps_.end()) return Recurrence{later->at, period_}.time(round);
  const double again = first_change().after(round);
  return again > time ? again : never;
}

double Profile::zero_from() const {
  auto zero = steps_.end();
  while (zero != steps_.begin() && std::prev(zero)->value == 0) --zero;
  const bool again = period_ > 0 && zero != steps_.begin();
  return zero == steps_.end() || again ? never : zero->at;
}

void Occurrences::add(Recurrence times) {
  pending_.push_back({times.at, static_cast<std::uint32_t>(events_.size()), 0});
  std::ranges::push_heap(pending_, std::greater<>());
  events_.push_back(times);
  next_ = pending_.front().time;
}

std::size_t Occurrences::take() {
  std::ranges::pop_heap(pending_, std::greater<>());
  Pending& taken = pending_.back();
  const std::size_t number = taken.number;
  if (const double again = events_[number].after(taken.round); again < never) {
    taken.time = again;
    ++taken.round;
    std::ranges::push_heap(pending_, std::greater<>());
  } else {
    pending_.pop_back();
  }
  next_ = pending_.empty() ? never : pending_.front().time;
  return number;
}

} // namespace gradflight
