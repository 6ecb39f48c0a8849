// Scenarios on SimGrid's clock: the hybrid engine as a resource model of SimGrid, and the reference engine, in which
// every transfer is a plain S4U Comm. One run per process, because SimGrid's engine is global.
#pragma once

#include "scenarios/language/types/training.hpp"
#include "sim/plan/plan.hpp"
#include "sim/simulate.hpp"

namespace gradflight {

/// Like run_plans(), for both kinds of engine.
PlansResult run_plans_on_simgrid(const PlatformSpec& spec, const Platform& platform,
                                 std::span<PlanSequence* const> plans, EngineKind kind,
                                 const EngineOptions& options = {});

/// Like simulate(), for both kinds of engine; a hybrid run gives the same bits.
RunResult simulate_on_simgrid(const Scenario& scenario, const Platform& platform, const SimulateOptions& options = {});

} // namespace gradflight
