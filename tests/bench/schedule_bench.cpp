// Generation of a schedule's steps. Checked: every sent byte is received.
#include "models/schedules/make_schedule.hpp"

#include <benchmark/benchmark.h>

namespace gradflight {
namespace {

void all_steps(benchmark::State& state, Algorithm algorithm) {
  ExchangeSpec exchange;
  exchange.algorithm = algorithm;
  const auto workers = static_cast<int>(state.range(0));
  const auto schedule = make_schedule(exchange, workers);
  const std::int64_t elements = 25'557'032; // ResNet-50
  std::int64_t steps = 0;
  for ([[maybe_unused]] auto iteration : state) {
    std::int64_t sent = 0, received = 0;
    for (int rank = 0; rank < schedule->participants(); ++rank) {
      const int count = schedule->steps(rank);
      for (int index = 0; index < count; ++index) {
        const Step step = schedule->step(elements, rank, index);
        if (step.to != no_rank) sent += step.out.count;
        if (step.from != no_rank) received += step.in.count;
      }
      steps += count;
    }
    if (sent != received || sent == 0) state.SkipWithError("elements sent and received differ");
  }
  state.SetItemsProcessed(steps);
}

BENCHMARK_CAPTURE(all_steps, ring, Algorithm::ring)->Arg(8)->Arg(64)->Arg(512);
BENCHMARK_CAPTURE(all_steps, halving_doubling, Algorithm::halving_doubling)->Arg(64)->Arg(500);
BENCHMARK_CAPTURE(all_steps, binomial_tree, Algorithm::binomial_tree)->Arg(512);

} // namespace
} // namespace gradflight
