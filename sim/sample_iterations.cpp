#include "sim/sample_iterations.hpp"

#include "scenarios/language/types/scenario.hpp"
#include <algorithm>
#include <fmt/format.h>

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

std::int64_t first_sample(const Scenario& scenario) {
  constexpr std::int64_t at_least = 8, cycles = 4;
  const std::int64_t cycle = scenario.phases.back().training.every;
  return cycle * std::max(cycles, (at_least + cycle - 1) / cycle);
}

IterationSample sample_iterations(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  const TrainingSpec& training = scenario.phases.back().training;
  const std::int64_t all = training.iterations, rest = all % training.every; // a pipeline drains as it does at the end
  for (std::int64_t whole = first_sample(scenario);; whole *= 4) {
    const std::int64_t count = std::min(all, whole + rest);
    const Scenario some = with_iterations(scenario, count);
    SimulateOptions quiet = options;
    quiet.timeline = nullptr;
    RunResult run = simulate(some, platform, quiet);
    if (std::ssize(run.iterations) < count)
      throw SimulationFailure(
          fmt::format("training.every of {} is too much for a job that is extrapolated from some of "
                      "its iterations: at most {}",
                      training.every, std::ssize(run.iterations) / 4),
          {});
    IterationTimes times(run, training.every);
    if (!times.steady() && count < all && count < most_iterations) continue;
    if (options.timeline != nullptr) simulate(some, platform, options);
    return {std::move(run), std::move(times)};
  }
}

} // namespace gradflight
