// The steps of the ring shortcut. Checked: ranks that start together, on equal links, end each step after alpha + beta.
#include "sim/engine/ring/ring_step.hpp"

#include <benchmark/benchmark.h>
#include <cmath>

namespace gradflight {
namespace {

void ring_step_bench(benchmark::State& state, bool gammas, double slowing) {
  const auto p = static_cast<std::size_t>(state.range(0));
  const std::vector<double> alpha(p, 5e-6), beta(p, 1e-4), gamma(p, 1e-5), until(p, 0);
  std::vector<double> slowed(p, 0);
  RingLanes ranks, messages;
  for (auto* lanes : {&ranks, &messages}) lanes->resize(p + 1);
  const RingStep step{p, alpha.data(), beta.data(), gammas ? gamma.data() : nullptr, until.data(), slowing};
  double steps = 0;
  for ([[maybe_unused]] auto iteration : state) {
    send_ring(step, ranks, messages, slowed.data());
    receive_ring(step, messages, ranks);
    ++steps;
  }
  const double wanted = steps * (105e-6 + (gammas ? 1e-5 : 0));
  if (std::abs(ranks.time[p / 2] / wanted - 1) > 1e-9) state.SkipWithError("the steps take another time");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK_CAPTURE(ring_step_bench, plain, false, 1.0)->Arg(8)->Arg(64)->Arg(512)->Arg(4096);
BENCHMARK_CAPTURE(ring_step_bench, reducing, true, 1.0)->Arg(512);
BENCHMARK_CAPTURE(ring_step_bench, beside_compute, true, 2.0)->Arg(512);

} // namespace
} // namespace gradflight
