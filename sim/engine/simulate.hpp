// A scenario on a platform, simulated by the executor's own loop over its calendar. Knows nothing of SimGrid; any
// number of runs may follow one another in a process, or go on in several threads at once.
#pragma once

#include "platforms/code/platform.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"
#include "sim/result/timeline.hpp"

#include <functional>
#include <stdexcept>

namespace gradflight {

/// The simulation could not be finished: deadlock, or past limits.simulated_time (exit code 3).
class SimulationFailure : public std::runtime_error {
public:
  SimulationFailure(const std::string& what, std::vector<Blocked> who);
  std::vector<Blocked> blocked;   ///< every unfinished stream, at most 64, lowest rank first
  std::int64_t blocked_count = 0; ///< all of them
};

struct SimulateOptions {
  Timeline* timeline = nullptr; ///< where to record; null: nothing is recorded
  /// Called now and then (at most every 2^16 messages) with the simulated time and the messages so far.
  std::function<void(double time, std::int64_t messages)> progress;
};

/// Extra host places the scenario needs beside the platform's nodes (servers, dedicated aggregators).
int extra_nodes(const Scenario& scenario);

/// `platform` must be build_platform(scenario.platform, extra_nodes(scenario)). For hybrid scenarios: what SimGrid
/// moves itself (EngineKind::simgrid) needs simulate_on_simgrid(), and is a std::logic_error here.
RunResult simulate(const Scenario& scenario, const Platform& platform, const SimulateOptions& options = {});

} // namespace gradflight
