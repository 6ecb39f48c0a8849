// The scoreboard as a page: for each paper a plot of simulated against reported values, its figures, parameters and
// exclusions.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"

#include <string>

namespace gradflight {

/// Returns a self-contained page (page.hpp).
std::string scoreboard_page(const Scoreboard& scoreboard, const std::string& command);

} // namespace gradflight
