// The one door: what was prepared, simulated and held against its closed form.
#pragma once

#include "analysis/run/prepared.hpp"
#include "analysis/run/result/outcome.hpp"
#include "sim/simulate.hpp"

#include <exception>

namespace gradflight {

/// SimGrid's engine is global: it can run once in a process, and beside nothing else.
enum class Process {
  shared, ///< other simulations run or ran in this one
  own     ///< none did, and after this one none will, but for hybrid ones on their own loop
};

/// Thrown where SimGrid would be needed in a shared process.
class NeedsOwnProcess : public std::exception {
public:
  [[nodiscard]] const char* what() const noexcept override { return "SimGrid needs a process of its own"; }
};

struct EvaluateOptions {
  Timeline* timeline = nullptr; ///< where to record; null: nothing is recorded
  /// Called now and then with the simulated time and the messages so far.
  std::function<void(double time, std::int64_t messages)> progress{};
  Process process = Process::shared;
  /// A hybrid scenario goes on SimGrid's clock, too, instead of its own loop: the same bits, and room for other S4U
  /// actors. Needs a process of its own.
  bool simgrid_clock = false;
  bool only_times = false; ///< see SimulateOptions
  bool alone = false;      ///< each of several jobs is simulated alone, too, for its slowdown
};

/// Throws SimulationFailure, NeedsOwnProcess. May be called from several threads at once where the process is shared.
RunResult simulate(const Prepared& prepared, const EvaluateOptions& options = {});
/// And with what a race falling out the other way would change.
RunResult simulate_with_race(const Prepared& prepared, const EvaluateOptions& options = {});
/// The same, with all that is said about it.
Outcome evaluate(const Prepared& prepared, const EvaluateOptions& options = {});

/// What there is to say about a result that was simulated elsewhere.
Outcome outcome_of(const Prepared& prepared, RunResult result);

} // namespace gradflight
