// Simulates an operation of a process group alone on a platform, with the executor's own loop.
#pragma once

#include "sim/engine/streams/engine_options.hpp"
#include "sim/group/group_plan.hpp"

namespace gradflight {

/// Throws SimulationFailure. Shortcuts do not apply.
RunResult simulate_group(const PlatformSpec& spec, const Platform& platform, const GroupWork& work,
                         const EngineOptions& options = {});

} // namespace gradflight
