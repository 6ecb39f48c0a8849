// The text of a golden check: a table of the numbers that moved, what they protect, and why they moved.
#pragma once

#include "analysis/explore/regression/golden.hpp"

#include <string>

namespace gradflight {

/// Indented by two, sentences wrapped at `width`; ends with a newline. `check.moved()` must not be 0.
std::string change_text(const GoldenCheck& check, const Outcome& outcome, std::size_t width);

/// One line: "time_s +0.95 %, 4 more".
std::string change_line(const GoldenCheck& check);

} // namespace gradflight
