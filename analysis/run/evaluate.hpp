// The entry point for simulations: simulates a prepared scenario and compares it with its closed form.
#pragma once

#include "analysis/run/prepared.hpp"
#include "analysis/run/result/outcome.hpp"
#include "sim/simulate.hpp"

#include <exception>

namespace gradflight {

/// Whether the process runs several simulations. SimGrid's engine is global: it can run once per process, and only
/// alone.
enum class Process {
  shared, ///< other simulations run or ran in this process
  own     ///< only this simulation; later ones must be hybrid simulations on their own event loop
};

/// SimGrid is needed in a shared process.
class NeedsOwnProcess : public std::exception {
public:
  [[nodiscard]] const char* what() const noexcept override { return "SimGrid needs a process of its own"; }
};

struct EvaluateOptions {
  Timeline* timeline = nullptr; ///< the recording; null: no recording
  /// Called regularly with the simulated time and the number of messages so far.
  std::function<void(double time, std::int64_t messages)> progress{};
  Process process = Process::shared;
  /// A hybrid scenario also uses SimGrid's clock instead of its own event loop. The results have the same bits, and
  /// other S4U actors may run. Needs its own process.
  bool simgrid_clock = false;
  bool only_times = false; ///< see SimulateOptions
  bool alone = false;      ///< also simulates each of several jobs alone, for its slowdown
};

/// Throws SimulationFailure or NeedsOwnProcess. In a shared process, several threads may call it concurrently.
RunResult simulate(const Prepared& prepared, const EvaluateOptions& options = {});
/// Also computes the effect of the other order of racing announcements.
RunResult simulate_with_race(const Prepared& prepared, const EvaluateOptions& options = {});
/// Simulates and evaluates.
Outcome evaluate(const Prepared& prepared, const EvaluateOptions& options = {});

/// Evaluates a result that was simulated elsewhere.
Outcome outcome_of(const Prepared& prepared, RunResult result);

} // namespace gradflight
