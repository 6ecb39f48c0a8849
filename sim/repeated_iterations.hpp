// Long runs of hierarchical exchanges: the first iterations stand for the others, once they are shown to repeat.
//
// A hierarchy's groups are simulated message by message, in every iteration alike. So a few iterations are simulated,
// with every event noted (sim/engine/streams/iteration_history.hpp). If they repeat, one iteration fewer is simulated,
// too. The difference of the two runs is what each further iteration adds, if the iterations of the longer one have
// added the same. Times agree with those of a run of all iterations to 1e-9, as rounding adds up in another order.
#pragma once

#include "sim/simulate.hpp"

#include <functional>
#include <optional>

namespace gradflight {

class IterationHistory;

/// Whether the iterations of this scenario could be jumped over: one synchronous job with many iterations of a
/// hierarchical exchange, in which nothing but the past decides what happens, and shortcuts are allowed.
bool may_repeat_iterations(const Scenario& scenario, const SimulateOptions& options);

/// Simulates a scenario with fewer iterations; notes the events of its iterations where `history` is not null.
using SimulateFew = std::function<RunResult(const Scenario& few, IterationHistory* history)>;

/// The result of all iterations; nothing where they do not repeat. For a scenario that may_repeat_iterations().
std::optional<RunResult> repeated_iterations(const Scenario& scenario, const SimulateFew& simulate_few);

} // namespace gradflight
