#include "sim/group/group_time.hpp"

#include "sim/group/fold.hpp"

#include <algorithm>

namespace gradflight {

namespace {

template <class Parts> void add_parts(Parts& parts, const Parts& more, double times) {
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += times * more[i];
}

/// Returns whether two operations take the same time if their schedules are equal.
bool cost_alike(const GroupWork& a, const GroupWork& b) {
  return a.place == b.place && a.element_bytes == b.element_bytes && a.message_bytes == b.message_bytes &&
         a.hops == b.hops && a.repeats == b.repeats && a.stand_ins == b.stand_ins;
}

GroupTime up_to(const IterationResult& mark) { return {mark.end, mark.path, mark.held, mark.details}; }

/// Returns a period's part of the stretch that ends with the mark.
GroupTime period_of(const LeftOut& left_out, const KeptEnds<IterationResult>& marks) {
  const auto periods = static_cast<double>(left_out.like.periods);
  GroupTime each;
  each.add(up_to(marks[static_cast<std::size_t>(left_out.mark)]), 1 / periods);
  each.add(up_to(marks[static_cast<std::size_t>(left_out.mark - left_out.like.periods)]), -1 / periods);
  return each;
}

} // namespace

void GroupTime::add(const GroupTime& more, double times) {
  seconds += times * more.seconds;
  add_parts(path, more.path, times);
  add_parts(held, more.held, times);
  details += times * more.details;
}

/// Returns whether the time of `work` is that of the simulated periods and others.
bool GroupTimes::stands_for(const Simulated& simulated, const GroupWork& work) {
  if (!cost_alike(simulated.work, work)) return false;
  const std::int64_t periods = work.schedule->periods();
  for (const Repeat& repeat : simulated.repeats)
    if (periods < repeat.simulated || (periods - repeat.simulated) % repeat.apart != 0) return false;
  return work.schedule->shortened(periods - simulated.repeats.front().simulated)->same_messages(*simulated.schedule);
}

GroupTime GroupTimes::with_all_periods(const Simulated& simulated, std::int64_t periods) {
  GroupTime time = simulated.time;
  for (const Repeat& repeat : simulated.repeats) time.add(repeat.each, static_cast<double>(periods - repeat.simulated));
  return time;
}

GroupTime GroupTimes::simulate(const GroupWork& work) {
  ++simulations_;
  ShortenedRun run = simulate_shortened(spec_, platform_, work);
  Simulated simulated{work, std::move(run.schedules.front()), up_to(run.result.iterations.back()), {}};
  simulated.work.schedule = simulated.schedule.get();
  const std::int64_t periods = work.schedule->periods();
  bool all_shortened = true;
  for (const auto& left_out : run.left_out) {
    if (!left_out) {
      simulated.repeats.push_back({periods});
      all_shortened = false;
      continue;
    }
    simulated.time.uneven = std::max(simulated.time.uneven, left_out->like.uneven);
    simulated.repeats.push_back({periods - left_out->periods, left_out->like.uneven > 0 ? 1 : left_out->like.periods,
                                 period_of(*left_out, run.result.iterations)});
  }
  const GroupTime time = with_all_periods(simulated, periods);
  if (all_shortened) simulated_.push_back(std::move(simulated));
  return time;
}

GroupTime GroupTimes::time(const GroupWork& work) {
  auto folded = folded_ring(spec_, platform_, work);
  if (!folded) folded = folded_lanes(spec_, platform_, work);
  const GroupWork& simulated = folded ? folded->work : work;
  const auto known = std::ranges::find_if(simulated_, [&](const Simulated& s) { return stands_for(s, simulated); });
  return known != simulated_.end() ? with_all_periods(*known, simulated.schedule->periods()) : simulate(simulated);
}

} // namespace gradflight
