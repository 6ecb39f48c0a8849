// The event calendar with `ranks` pending events, in lockstep (all at the same time) or each at a different time.
// Checked: all events come out, in order.
#include "sim/engine/calendar/calendar.hpp"

#include <benchmark/benchmark.h>
#include <cstdint>

namespace gradflight {
namespace {

void hold(benchmark::State& state, bool lockstep) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  std::vector<Event> due;
  std::int64_t handled = 0;
  for ([[maybe_unused]] auto iteration : state) {
    Calendar calendar;
    const int rounds = 64;
    // Irrational steps: no two ranks have the same time.
    const auto delay = [lockstep](std::uint32_t rank) { return lockstep ? 1e-5 : 1e-5 * (1 + 0.6180339887 * rank); };
    for (std::uint32_t rank = 0; rank < ranks; ++rank) calendar.add(delay(rank), {EventKind::stream, rank});
    double now = 0;
    std::int64_t count = 0;
    while (count < std::int64_t{rounds} * ranks) {
      if (calendar.next() < now) return state.SkipWithError("an event came too late");
      now = calendar.next();
      calendar.take(due);
      for (const Event& event : due) calendar.add(now + delay(event.index), event);
      count += static_cast<std::int64_t>(due.size());
    }
    handled += count;
  }
  state.SetItemsProcessed(handled);
}

BENCHMARK_CAPTURE(hold, lockstep, true)->Arg(8)->Arg(64)->Arg(1024);
BENCHMARK_CAPTURE(hold, spread, false)->Arg(8)->Arg(64)->Arg(1024);

} // namespace
} // namespace gradflight
