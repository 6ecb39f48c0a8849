// The one door to the engines: a scenario on a platform, simulated. One run per process (SimGrid's engine is global).
#pragma once

#include "platforms/platform.hpp"
#include "scenarios/scenario.hpp"
#include "sim/result.hpp"
#include "sim/timeline.hpp"

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

/// `platform` must be build_platform(scenario.platform, extra_nodes(scenario)).
RunResult simulate(const Scenario& scenario, const Platform& platform, const SimulateOptions& options = {});

} // namespace gradflight
