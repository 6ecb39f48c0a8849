// A scenario on a platform, simulated by the executor's own loop over its calendar. Knows nothing of SimGrid; any
// number of runs may follow one another in a process, or go on in several threads at once.
#pragma once

#include "sim/engine/streams/engine_options.hpp"
#include "sim/engine/streams/failure.hpp"

#include <span>

namespace gradflight {

class Platform;
struct Scenario;

struct SimulateOptions {
  Timeline* timeline = nullptr; ///< where to record; null: nothing is recorded
  Progress progress{};          ///< called now and then (at most every 2^16 messages)
  /// Of the result only these hold: times of iterations, of all and of compute, and counts of messages and bytes. What
  /// went on meanwhile (times of communication, paths, busy links) may be left out where that saves work; the times are
  /// the same but for rounding.
  bool only_times = false;
};

/// Nodes of the job beside the platform's (servers, dedicated aggregators).
int helper_nodes(const Scenario& scenario);
/// All host places the scenario needs beside the platform's nodes: those, then storage for checkpoints.
int extra_nodes(const Scenario& scenario);

/// Its engine takes them, and neither a protocol nor other users of the network stand against all of them.
bool may_take_shortcuts(const Scenario& scenario);

/// What an engine needs to know of a scenario beside its plans.
EngineOptions engine_options(const Scenario& scenario, const Platform& platform, const SimulateOptions& options);

/// simulate() without shortcuts, whatever the scenario says. Throws SimulationFailure where there are too many messages
/// for that.
RunResult simulate_step_by_step(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                                std::span<const PlatformChange> further = {});

/// `platform` must be build_platform(scenario.platform, extra_nodes(scenario)). For hybrid scenarios: what SimGrid
/// moves itself (EngineKind::simgrid) needs simulate_on_simgrid(), and is a std::logic_error here.
RunResult simulate(const Scenario& scenario, const Platform& platform, const SimulateOptions& options = {});
/// Likewise, of a scenario without `failures`; `further` changes beside its own, in the order of time.
RunResult simulate_changed(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                           std::span<const PlatformChange> further);

} // namespace gradflight
