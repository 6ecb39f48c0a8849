// Iterations that stand for all of a long job.
#pragma once

#include "sim/recovery/iteration_times.hpp"
#include "sim/simulate.hpp"

namespace gradflight {

/// A job of `times.simulated()` iterations, and what they come to for any number of them.
struct IterationSample {
  RunResult run;
  IterationTimes times;
};

/// The scenario of one job with so many iterations of its last phase, without what fails.
Scenario with_iterations(const Scenario& scenario, std::int64_t iterations);

/// So many are simulated at first.
inline constexpr std::int64_t first_sample = 8;

/// The first iterations of the scenario, so many, or four times as many again, up to 512, where they do not repeat;
/// never more than it has. With the timeline of those that stand for all, if there is one. Throws SimulationFailure.
IterationSample sample_iterations(const Scenario& scenario, const Platform& platform, const SimulateOptions& options);

} // namespace gradflight
