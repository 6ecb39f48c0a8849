#include "sim/group/group_time.hpp"

#include "sim/group/ring_fold.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gradflight {

namespace {

GroupTime simulated(const PlatformSpec& spec, const Platform& platform, const GroupWork& work) {
  const RunResult result = simulate_group(spec, platform, work);
  return {result.time, result.iteration_path, result.iteration_held, result.iteration_details, 0};
}

template <std::size_t Count>
void go_on(std::array<double, Count>& parts, const std::array<double, Count>& before, double times) {
  for (std::size_t i = 0; i < Count; ++i) parts[i] += times * (parts[i] - before[i]);
}

} // namespace

std::optional<GroupTime> steady_group_time(const PlatformSpec& spec, const Platform& platform, const GroupWork& work) {
  const auto [count, settles] = work.schedule->periods();
  // An even distance: what alternates between two states repeats every second period.
  const std::int64_t apart = std::max<std::int64_t>(2, settles / 4 * 2);
  const std::int64_t longest = settles + 2 * apart;
  if (count < 2 * longest) return std::nullopt;
  std::array<GroupTime, 3> runs{};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto shorter = work.schedule->shortened(count - settles - static_cast<std::int64_t>(i) * apart);
    GroupWork part = work;
    part.schedule = shorter.get();
    runs[i] = simulated(spec, platform, part);
  }
  const double first = runs[1].seconds - runs[0].seconds, second = runs[2].seconds - runs[1].seconds;
  if (!(first > 0)) return std::nullopt;
  const double uneven = std::abs(second / first - 1);
  if (uneven > GroupTime::most_uneven) return std::nullopt;
  const bool even = uneven <= GroupTime::exact;
  const double each = (even ? second : (first + second) / 2) / static_cast<double>(apart);
  const auto left = static_cast<double>(count - longest);
  GroupTime whole = runs[2];
  whole.seconds += left * each;
  whole.uneven = uneven;
  const GroupTime& before = runs[even ? 1 : 0];
  const double times = left / static_cast<double>(even ? apart : 2 * apart);
  go_on(whole.path, before.path, times);
  go_on(whole.held, before.held, times);
  whole.details += times * (runs[2].details - before.details);
  return whole;
}

GroupTime group_time(const PlatformSpec& spec, const Platform& platform, const GroupWork& work) {
  const auto folded = folded_ring(spec, platform, work);
  const GroupWork& simulate = folded ? folded->work : work;
  if (const auto steady = steady_group_time(spec, platform, simulate)) return *steady;
  return simulated(spec, platform, simulate);
}

} // namespace gradflight
