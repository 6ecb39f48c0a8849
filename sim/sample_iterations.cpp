#include "sim/sample_iterations.hpp"

#include "scenarios/language/types/scenario.hpp"
#include <algorithm>

namespace gradflight {
namespace {

/// Largest number; each try simulates four times as many if they do not repeat.
constexpr std::int64_t most_iterations = 512;

} // namespace

Scenario with_iterations(const Scenario& scenario, std::int64_t iterations) {
  Scenario some = scenario;
  some.failures.reset();
  some.recovery.reset();
  some.phases.back().training.iterations = iterations;
  return some;
}

IterationSample sample_iterations(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  const std::int64_t all = scenario.phases.back().training.iterations;
  for (std::int64_t count = std::min(all, first_sample);; count = std::min(all, 4 * count)) {
    const Scenario some = with_iterations(scenario, count);
    SimulateOptions quiet = options;
    quiet.timeline = nullptr;
    RunResult run = simulate(some, platform, quiet);
    IterationTimes times(run);
    if (!times.steady() && count < all && count < most_iterations) continue;
    if (options.timeline != nullptr) simulate(some, platform, options);
    return {std::move(run), std::move(times)};
  }
}

} // namespace gradflight
