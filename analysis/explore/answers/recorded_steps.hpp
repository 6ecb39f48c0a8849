// Steps of runs that have ended, read from what `run --json` printed or a run directory holds.
#pragma once

#include "analysis/explore/answers/steps.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct RecordedStep {
  std::string name; ///< of the scenario
  TrainedStep step;
};

/// The results in a file: one, or a list of several. Nothing where the file is no result: then it should be a scenario.
/// Throws InputErrors where a result is damaged, was written by another version of the model, has several jobs, or
/// where the entry of a list says that its run failed.
std::optional<std::vector<RecordedStep>> recorded_steps(const ScenarioSource& source);

} // namespace gradflight
