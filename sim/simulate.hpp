// Simulates a scenario on a platform with the executor's own loop over its calendar. Does not use SimGrid. A process
// may make any number of runs, one after another or in several threads at once.
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
  /// Only these members of the result are valid: times of iterations, of all and of compute, and counts of messages and
  /// bytes. Others (times of communication, paths, busy links) may be omitted to save work. The times are the same but
  /// for rounding.
  bool only_times = false;
};

/// Number of the job's nodes in addition to the platform's (servers, dedicated aggregators).
int helper_nodes(const Scenario& scenario);
/// Number of host places in addition to the platform's nodes: helper nodes, then storage for checkpoints.
int extra_nodes(const Scenario& scenario);

/// Whether the engine takes shortcuts and neither a protocol nor other traffic rules all of them out.
bool may_take_shortcuts(const Scenario& scenario);

/// Returns what an engine needs to know of a scenario in addition to its plans.
EngineOptions engine_options(const Scenario& scenario, const Platform& platform, const SimulateOptions& options);

/// Like simulate() without shortcuts, whatever the scenario says. Throws SimulationFailure on too many messages.
RunResult simulate_step_by_step(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                                std::span<const PlatformChange> further = {});

/// `platform` must be build_platform(scenario.platform, extra_nodes(scenario)). For hybrid scenarios only:
/// EngineKind::simgrid needs simulate_on_simgrid(), and throws std::logic_error here.
RunResult simulate(const Scenario& scenario, const Platform& platform, const SimulateOptions& options = {});
/// Like simulate(), for a scenario without `failures`. Adds the `further` changes, sorted by time, to its own.
RunResult simulate_changed(const Scenario& scenario, const Platform& platform, const SimulateOptions& options,
                           std::span<const PlatformChange> further);

} // namespace gradflight
