#include "sim/group/steady_periods.hpp"

#include "sim/result/result.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight {

void SteadyPeriods::marked(double time) {
  if (!same_instant(now_.time, time)) {
    now_.marks += instant_;
    now_.sum += static_cast<double>(instant_) * (now_.time - (ends_.empty() ? 0 : ends_.back().time));
    instant_ = 0;
    now_.time = time;
  }
  ++instant_;
}

SteadyPeriods::End SteadyPeriods::between(std::int64_t last, std::int64_t periods) const {
  const End& to = ends_[static_cast<std::size_t>(last)];
  const End& from = ends_[static_cast<std::size_t>(last - periods)];
  return {to.time - from.time, to.marks - from.marks, to.sum - from.sum};
}

std::optional<EvenStretch> SteadyPeriods::even_ends(std::int64_t last) const {
  if (last < 2 * watched) return std::nullopt;
  const End all = between(last, watched);
  const double each = all.time / static_cast<double>(watched);
  for (std::int64_t at = last; at > last - watched; --at)
    if (!(each > 0) || std::abs(between(at, 1).time - each) > exact * each) return std::nullopt;
  const double gain = static_cast<double>(all.marks) / static_cast<double>(watched * streams_) - 1;
  if (!(gain > 0 && gain <= most_uneven)) return std::nullopt;
  return EvenStretch{watched, all.time, std::max(exact, gain)};
}

std::optional<EvenStretch> SteadyPeriods::ended() {
  ends_.push_back(now_);
  const auto last = static_cast<std::int64_t>(ends_.size()) - 1;
  for (std::int64_t periods = 1; periods <= watched && watched + periods <= last + 1; ++periods) {
    const End stretch = between(last, periods);
    if (!(stretch.time > 0) || stretch.marks != periods * streams_) continue;
    const auto even = [&](std::int64_t at) {
      const End other = between(at, periods);
      return other.marks == stretch.marks && std::abs(other.time - stretch.time) <= exact * stretch.time &&
             std::abs(other.sum - stretch.sum) <= exact * stretch.time * static_cast<double>(stretch.marks);
    };
    std::int64_t at = last - 1;
    while (at > last - watched && even(at)) --at;
    if (at == last - watched) return EvenStretch{periods, stretch.time, 0};
  }
  if (const auto ahead = even_ends(last)) return ahead;
  if (last < many || last % half != 0) return std::nullopt;
  const End first = between(last - half, half), second = between(last, half);
  const double uneven = std::max(exact, std::abs(second.time / first.time - 1)); // its periods are not even
  const bool gains =
      half * std::abs(second.marks - half * streams_) > streams_; // streams get further and further ahead
  if (!(first.time > 0) || !(uneven <= most_uneven) || gains) return std::nullopt;
  return EvenStretch{2 * half, first.time + second.time, uneven};
}

} // namespace gradflight
