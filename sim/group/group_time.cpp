#include "sim/group/group_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gradflight {

std::optional<GroupTime> steady_group_time(const PlatformSpec& spec, const Platform& platform, const GroupWork& work) {
  const auto [count, settles] = work.schedule->periods();
  // An even number apart: what goes to and fro between two states repeats every second period.
  const std::int64_t apart = std::max<std::int64_t>(2, settles / 4 * 2);
  const std::int64_t longest = settles + 2 * apart;
  if (count < 2 * longest) return std::nullopt;
  std::array<double, 3> times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto shorter = work.schedule->shortened(count - settles - static_cast<std::int64_t>(i) * apart);
    GroupWork part = work;
    part.schedule = shorter.get();
    times[i] = simulate_group(spec, platform, part).time;
  }
  const double first = times[1] - times[0], second = times[2] - times[1];
  if (!(first > 0)) return std::nullopt;
  const double uneven = std::abs(second / first - 1);
  if (uneven > GroupTime::most_uneven) return std::nullopt;
  const double each = (uneven <= GroupTime::exact ? second : (first + second) / 2) / static_cast<double>(apart);
  return GroupTime{times[2] + static_cast<double>(count - longest) * each, uneven};
}

GroupTime group_time(const PlatformSpec& spec, const Platform& platform, const GroupWork& work) {
  if (const auto steady = steady_group_time(spec, platform, work)) return *steady;
  return {simulate_group(spec, platform, work).time, 0};
}

} // namespace gradflight
