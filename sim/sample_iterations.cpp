#include "sim/sample_iterations.hpp"

#include "scenarios/language/types/scenario.hpp"
#include "sim/engine/streams/failure.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// Largest number; each try simulates four times as many if they do not repeat.
constexpr std::int64_t most_iterations = 512;
constexpr std::int64_t cycles_in_sample = 4; ///< at least

} // namespace

Scenario with_iterations(const Scenario& scenario, std::int64_t iterations) {
  Scenario some = scenario;
  some.failures.reset();
  some.recovery.reset();
  some.phases.back().training.iterations = iterations;
  return some;
}

std::int64_t first_sample(const Scenario& scenario) {
  constexpr std::int64_t at_least = 8;
  const std::int64_t cycle = scenario.phases.back().training.every;
  return cycle * std::max(cycles_in_sample, (at_least + cycle - 1) / cycle);
}

IterationSample sample_iterations(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  const TrainingSpec& training = scenario.phases.back().training;
  const std::int64_t all = training.iterations, rest = all % training.every; // a pipeline drains as it does at the end
  for (std::int64_t whole = first_sample(scenario);; whole *= 4) {
    const std::int64_t count = std::min(all, whole + rest);
    constexpr auto listed = static_cast<std::int64_t>(KeptEnds<IterationResult>::most);
    if (count > listed)
      throw SimulationFailure(
          fmt::format("training.every of {} is too much for a job that repeats some of its iterations: at most {}",
                      training.every, listed / (cycles_in_sample + 1)),
          {});
    const Scenario some = with_iterations(scenario, count);
    SimulateOptions quiet = options;
    quiet.timeline = nullptr;
    RunResult run = simulate(some, platform, quiet);
    IterationTimes times(run, training.every);
    if (!times.steady() && count < all && count < most_iterations) continue;
    if (options.timeline != nullptr) simulate(some, platform, options);
    return {std::move(run), std::move(times)};
  }
}

} // namespace gradflight
