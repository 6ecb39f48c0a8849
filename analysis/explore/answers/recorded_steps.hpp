// Steps of completed runs, read from the output of `run --json` or from a run directory.
#pragma once

#include "analysis/explore/steps/steps.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct RecordedStep {
  std::string name; ///< of the scenario
  TrainedStep step;
};

/// Returns the results in a file: one, or a list. Returns nothing if the file is no result; then it should be a
/// scenario. Throws InputErrors if a result is damaged, was written by another version of the model, has several jobs,
/// or if an entry of the list has a failed run.
std::optional<std::vector<RecordedStep>> recorded_steps(const ScenarioSource& source);

} // namespace gradflight
