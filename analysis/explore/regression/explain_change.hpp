// Explains why a golden scenario's time moved: which parts of the critical path, which phase, which link; and whether
// the scenario changed or the simulation.
#pragma once

#include "analysis/explore/regression/golden.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// Returns sentences, the most important first. They depend on the expected quantities: without a breakdown in the file
/// the text says that the part is unknown. `check.moved()` must not be 0.
std::vector<std::string> explain_change(const GoldenCheck& check, const Outcome& outcome);

} // namespace gradflight
