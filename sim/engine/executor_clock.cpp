// Where a run's clock restarts.
//
// The sum of a time and a duration is rounded, and at another time it rounds differently. Where messages that share
// links tie, sharing amplifies such a difference from step to step: equal calls between machines took times that
// differed by up to 1e-4. So where only work of known length is under way at an instant, the executor counts time from
// that instant on. What follows then depends on the state alone, to the bit, and RepeatedCalls may reuse it for the
// same state at another instant. The clock restarts whether or not shortcuts are allowed.
#include "sim/engine/executor.hpp"

#include <algorithm>

namespace gradflight {

/// If all ranks have come to a call, the instant `now` may become time 0 here.
void Executor::settle(double now) {
  run_ready(now);
  while (calls_.any_waiting()) {
    if (calls_.all_wait(now) && can_restart_clock(now)) {
      calls_.end_stretch();
      restart_clock(now);
      now = 0;
      calls_.begin_stretch();
    } else {
      calls_.release();
    }
    run_ready(now);
  }
  if (!over_) transport_.network().settle(now); // else the other traffic has been closed
}

/// Returns whether the plan's calls depend on nothing but what is under way.
bool Executor::depends_on_state_alone(const Plan& next) const {
  return tracks_.all.size() == 1 && options_.traffic.empty() && options_.history == nullptr && !changes_.any() &&
         !speeds_.any() && !transport_.protocol() && !transport_.loses() && rank_work_.slowing() == 1 &&
         transport_.network().forgets() && next.repeats_calls();
}

/// All ranks have come to a call. Returns whether each rank's computation waits or has just begun its work, and whether
/// none of its resources is in use.
bool Executor::can_restart_clock(double now) const {
  const Track& track = tracks_.all.front();
  for (int rank = 0; std::cmp_less(rank, track.shape->place.size()); ++rank) {
    const Stream& computation = streams_[track.address(rank, 0)];
    const auto* work = std::get_if<WorkOp>(&computation.op);
    const bool works = computation.stage == StreamStage::working && work != nullptr;
    if (works && computation.work_end != now + work->seconds) return false;
    if (!works && computation.stage != StreamStage::counting && computation.stage != StreamStage::ended) return false;
    for (std::size_t r = 0; r < resource_count; ++r)
      if (track.occupancies[r][static_cast<std::size_t>(rank)].until() > now &&
          !(works && r == static_cast<std::size_t>(work->resource)))
        return false;
  }
  return true;
}

/// Time `now` becomes 0. Only ends of computations may still come; all other events are stale.
void Executor::restart_clock(double now) {
  Track& track = tracks_.all.front();
  calendar_.restart(now);
  track.accounts.restart_clock(now);
  recorder_.restart_clock(calendar_.epoch());
  transport_.restart_clock();
  steps_.restart_clock();
  for (auto& of_ranks : track.occupancies)
    for (Occupancy& occupancy : of_ranks) occupancy = {};
  for (int rank = 0; std::cmp_less(rank, track.shape->place.size()); ++rank) {
    const std::uint32_t s = track.address(rank, 0);
    Stream& computation = streams_[s];
    if (computation.stage != StreamStage::working) continue;
    const auto& work = std::get<WorkOp>(computation.op);
    computation.work_end = work.seconds;
    track.occupancy(rank, work.resource).add(work.seconds, computation.path);
    calendar_.add(work.seconds, {EventKind::stream, s});
  }
}

} // namespace gradflight
