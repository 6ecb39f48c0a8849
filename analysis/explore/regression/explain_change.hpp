// Why a golden scenario's time moved: which parts of the critical path, which phase, which link; and whether the
// scenario changed or the simulation.
#pragma once

#include "analysis/explore/regression/golden.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// Sentences, the most telling first. Says as much as the expected quantities allow: a file that holds no breakdown
/// cannot tell which term moved, and the text says so. `check.moved()` is not 0.
std::vector<std::string> explain_change(const GoldenCheck& check, const Outcome& outcome);

} // namespace gradflight
