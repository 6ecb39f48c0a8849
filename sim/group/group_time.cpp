#include "sim/group/group_time.hpp"

#include "sim/group/ring_fold.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gradflight {

namespace {

template <std::size_t Count>
void go_on(std::array<double, Count>& parts, const std::array<double, Count>& before, double times) {
  for (std::size_t i = 0; i < Count; ++i) parts[i] += times * (parts[i] - before[i]);
}

/// Returns whether two operations take the same time if their schedules are equal.
bool cost_alike(const GroupWork& a, const GroupWork& b) {
  return a.place == b.place && a.element_bytes == b.element_bytes && a.message_bytes == b.message_bytes &&
         a.hops == b.hops && a.repeats == b.repeats;
}

} // namespace

GroupTime GroupTimes::simulate(const GroupWork& work) const {
  const RunResult result = simulate_group(spec_, platform_, work);
  return {result.time, result.iteration_path, result.iteration_held, result.iteration_details, 0};
}

const GroupTime& GroupTimes::time_shortened(const GroupWork& work, std::int64_t fewer_periods) {
  std::unique_ptr<GroupSchedule> schedule = work.schedule->shortened(fewer_periods);
  if (!cost_alike(work, last_)) simulated_.clear();
  last_ = work;
  const auto known =
      std::ranges::find_if(simulated_, [&](const Simulated& s) { return s.schedule->same_messages(*schedule); });
  if (known != simulated_.end()) return known->time;
  GroupWork part = work;
  part.schedule = schedule.get();
  const GroupTime time = simulate(part);
  return simulated_.emplace_back(Simulated{std::move(schedule), time}).time;
}

std::optional<GroupTime> GroupTimes::steady_time(const GroupWork& work) {
  const auto [count, settles] = work.schedule->periods();
  // An even distance: what alternates between two states repeats every second period.
  const std::int64_t apart = std::max<std::int64_t>(2, settles / 4 * 2);
  // If the attempt fails, all periods are simulated as well, so it may cost at most three quarters of that.
  std::int64_t budget = count * 3 / 4;
  if (3 * (settles + apart) > budget) return std::nullopt;
  std::array<GroupTime, 3> last{};
  for (std::int64_t run = 0, periods = settles; periods <= budget; ++run, periods += apart) {
    budget -= periods;
    std::rotate(last.begin(), last.begin() + 1, last.end());
    last[2] = time_shortened(work, count - periods);
    const double first = last[1].seconds - last[0].seconds, second = last[2].seconds - last[1].seconds;
    if (run < 2 || !(first > 0)) continue;
    const double uneven = std::abs(second / first - 1);
    if (uneven > GroupTime::most_uneven) continue;
    const bool even = uneven <= GroupTime::exact;
    const double each = (even ? second : (first + second) / 2) / static_cast<double>(apart);
    const auto left = static_cast<double>(count - periods);
    GroupTime whole = last[2];
    whole.seconds += left * each;
    whole.uneven = uneven;
    const GroupTime& before = last[even ? 1 : 0];
    const double times = left / static_cast<double>(even ? apart : 2 * apart);
    go_on(whole.path, before.path, times);
    go_on(whole.held, before.held, times);
    whole.details += times * (last[2].details - before.details);
    return whole;
  }
  return std::nullopt;
}

GroupTime GroupTimes::time(const GroupWork& work) {
  const auto folded = folded_ring(spec_, platform_, work);
  const GroupWork& simulated = folded ? folded->work : work;
  if (const auto steady = steady_time(simulated)) return *steady;
  return simulate(simulated);
}

} // namespace gradflight
