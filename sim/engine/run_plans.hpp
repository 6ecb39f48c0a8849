// Runs plans on a platform with the executor's own loop over its calendar. A process may make any number of runs, one
// after another or in several threads at once.
#pragma once

#include "sim/engine/streams/engine_options.hpp"
#include "sim/plan/plan.hpp"

#include <span>

namespace gradflight {

/// Runs the sequences side by side, each from its start(). They share the platform's links. Throws SimulationFailure.
PlansResult run_plans(const PlatformSpec& spec, const Platform& platform, std::span<PlanSequence* const> plans,
                      const EngineOptions& options = {});

} // namespace gradflight
