// What was measured, as scenarios: which exchange an experiment is, and which simulated quantity its time is.
#pragma once

#include "analysis/evidence/calibration/measurements.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <string>
#include <vector>

namespace gradflight {

const std::vector<std::string>& experiment_names();
bool is_experiment(const std::string& name);

/// What of a simulated run the measured time stands for.
enum class MeasuredQuantity {
  time,          ///< the end of the last operation
  first_message, ///< one message, one way: the end of the first transfer of a parameter server with one worker
  pushed,        ///< when a parameter server has the last gradient, reduced
  reduced        ///< seconds of reduction on the critical path
};

struct Experiment {
  Scenario scenario;
  MeasuredQuantity quantity = MeasuredQuantity::time;
  bool eager = false; ///< where there is a protocol, every message is below its eager limit, whatever that is
};

/// The case's experiment on a star of its rate, with a protocol at its defaults. A case that names a scenario file
/// (relative to `csv`, the measurements' path) gets platform.nodes, the link's rate and the first tensor's bytes from
/// its row. Then come `sets` (PATH=VALUE), then what further columns set. Throws InputErrors, at the row or header
/// where that is to blame.
Experiment make_experiment(const MeasuredCase& measured, const std::vector<std::string>& sets, const std::string& csv);

/// Simulates them, `jobs` at a time; seconds, in their order. Throws SimulationFailure or
/// std::runtime_error where one fails.
std::vector<double> simulate_experiments(const std::vector<const Experiment*>& experiments, int jobs);

} // namespace gradflight
