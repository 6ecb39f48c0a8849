// Iterations that stand for all iterations of a long job.
#pragma once

#include "sim/recovery/iteration_times.hpp"
#include "sim/simulate.hpp"

namespace gradflight {

/// A job of `times.simulated()` iterations, and their times for any number.
struct IterationSample {
  RunResult run;
  IterationTimes times;
};

/// Returns the scenario of one job with this many iterations of its last phase, without failures.
Scenario with_iterations(const Scenario& scenario, std::int64_t iterations);

/// Returns the number of iterations simulated at first: eight, and complete cycles (IterationTimes), at least four.
std::int64_t first_sample(const Scenario& scenario);

/// Simulates the first iterations of the scenario: first_sample() of them, and four times as many, up to 512, while
/// they do not repeat; never more than the scenario has. They end within a cycle as the scenario does. Includes the
/// timeline, if any, of the final run. Throws SimulationFailure.
IterationSample sample_iterations(const Scenario& scenario, const Platform& platform, const SimulateOptions& options);

} // namespace gradflight
