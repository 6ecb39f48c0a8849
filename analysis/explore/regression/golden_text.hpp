// The text of a golden check: a table of the numbers that moved, what they protect, and why they moved.
#pragma once

#include "analysis/explore/regression/golden.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// Indented by two, sentences wrapped at `width`; ends with a newline. `check.moved()` must not be 0.
std::string change_text(const GoldenCheck& check, const Outcome& outcome, std::size_t width);

/// One line: "time_s +0.95 %, 4 more".
std::string change_line(const GoldenCheck& check);

/// Explains why the scenario's time moved: which parts of the critical path, which phase, which link; and whether the
/// scenario changed or the simulation. Returns sentences, the most important first. They depend on the expected
/// quantities: without a breakdown in the file the text says that the part is unknown. `check.moved()` must not be 0.
std::vector<std::string> explain_change(const GoldenCheck& check, const Outcome& outcome);

} // namespace gradflight
