// Measured cases as scenarios: the exchange of an experiment, and the simulated quantity that its time corresponds to.
#pragma once

#include "analysis/evidence/calibration/measurements.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <string>
#include <vector>

namespace gradflight {

const std::vector<std::string>& experiment_names();
bool is_experiment(const std::string& name);

/// The simulated quantity that corresponds to the measured time.
enum class MeasuredQuantity {
  time,          ///< the end of the last operation
  first_message, ///< one message in one direction: the end of the first transfer of a parameter server with one worker
  pushed,        ///< the time when a parameter server has received and reduced the last gradient
  reduced        ///< seconds of reduction on the critical path
};

struct Experiment {
  Scenario scenario;
  MeasuredQuantity quantity = MeasuredQuantity::time;
  bool eager = false; ///< with a protocol, every message is below the eager limit, whatever its value
};

/// Returns the case's experiment on a star with its rate, and a protocol with default values. For a case with a
/// scenario file (relative to `csv`, the measurements' path), the row sets platform.nodes, the link's rate and the
/// first tensor's bytes. Then `sets` (PATH=VALUE) apply, then further columns. Throws InputErrors, at the row or header
/// if the mistake is there.
Experiment make_experiment(const MeasuredCase& measured, const std::vector<std::string>& sets, const std::string& csv);

/// Simulates the experiments, `jobs` in parallel. Returns seconds in their order. Throws SimulationFailure or
/// std::runtime_error if one fails.
std::vector<double> simulate_experiments(const std::vector<const Experiment*>& experiments, int jobs);

} // namespace gradflight
