// The output of `run`: the times, their parts, and the closed form for comparison.
#pragma once

#include "analysis/run/result/outcome.hpp"

#include <string>

namespace gradflight {

struct ReportStyle {
  bool colour = false; ///< ANSI colours; the text contains the same information without them
  int width = 100;     ///< columns for wrapping sentences, >= 60
};

/// `moved`: the relative change of the time with last digits (moved_by_last_digits); 0: not mentioned.
std::string report(const Outcome& outcome, const ReportStyle& style = {}, double moved = 0);

} // namespace gradflight
