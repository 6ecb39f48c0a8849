// Plans on a platform, by the executor's own loop over its calendar. Any number of runs may follow one another in a
// process, or go on in several threads at once.
#pragma once

#include "sim/engine/streams/engine_options.hpp"
#include "sim/plan/plan.hpp"

#include <span>

namespace gradflight {

/// The sequences side by side, each from its start(); what they share are the platform's links. Throws
/// SimulationFailure.
PlansResult run_plans(const PlatformSpec& spec, const Platform& platform, std::span<PlanSequence* const> plans,
                      const EngineOptions& options = {});

} // namespace gradflight
