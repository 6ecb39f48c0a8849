// SimGrid's side: its clock drives the executor, and in the reference engine its network model moves every message.
// Only this file and simgrid_engine.cpp know SimGrid (simgrid-notes.md has the measurements behind the settings).
#pragma once

#include "sim/engine/executor.hpp"

namespace gradflight {

/// Runs `executor` to its end on SimGrid's clock. hybrid: FairNetwork; simgrid: a plain S4U Comm per transfer.
/// Once per process: SimGrid's engine is global.
void run_on_simgrid(Executor& executor, const Platform& platform, EngineKind kind);

} // namespace gradflight
