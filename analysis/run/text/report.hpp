// What `run` prints: the times, what they are made of, and the closed form beside them.
#pragma once

#include "analysis/run/result/outcome.hpp"

#include <string>

namespace gradflight {

struct ReportStyle {
  bool colour = false; ///< ANSI colours; the text says the same without them
  int width = 100;     ///< columns to wrap sentences at, >= 60
};

/// `moved`: by how much last digits move the time (moved_by_last_digits); 0: not worth a word.
std::string report(const Outcome& outcome, const ReportStyle& style = {}, double moved = 0);

} // namespace gradflight
