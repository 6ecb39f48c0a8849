// Long runs of hierarchical exchanges: the first iterations stand for the others, once they are shown to repeat.
//
// A hierarchy's groups are simulated message by message, in each iteration. So only a few iterations are simulated, and
// every event is noted (sim/engine/streams/iteration_history.hpp). If they repeat, one iteration fewer is simulated,
// too. The difference of the two runs is what each further iteration adds, if the iterations of the longer run have
// added the same. Times agree with a run of all iterations to 1e-9, because rounding adds up in another order.
#pragma once

#include "sim/simulate.hpp"

#include <functional>
#include <optional>

namespace gradflight {

class IterationHistory;

/// Whether the iterations of this scenario could be extrapolated: one synchronous job with many iterations of a
/// hierarchical exchange, events that depend only on earlier ones, and shortcuts allowed.
bool may_repeat_iterations(const Scenario& scenario, const SimulateOptions& options);

/// Simulates a scenario with fewer iterations; records the events of its iterations if `history` is not null.
using SimulateFew = std::function<RunResult(const Scenario& few, IterationHistory* history)>;

/// Returns the result of all iterations; nothing if they do not repeat. Requires may_repeat_iterations().
std::optional<RunResult> repeated_iterations(const Scenario& scenario, const SimulateFew& simulate_few);

} // namespace gradflight
