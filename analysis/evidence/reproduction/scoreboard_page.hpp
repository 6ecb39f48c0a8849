// The scoreboard as a page: for each paper a plot of reported against simulated, its figures, parameters and
// exclusions.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"

#include <string>

namespace gradflight {

/// Opens offline (page.hpp).
std::string scoreboard_page(const Scoreboard& scoreboard, const std::string& command);

} // namespace gradflight
