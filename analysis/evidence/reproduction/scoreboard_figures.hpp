// A paper's figures as tables of its page: what was reported and simulated, and what a figure hangs on.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"
#include "analysis/run/pages/page.hpp"

namespace gradflight {

/// A line for each figure that is simulated.
PageTable figure_table(const PaperScore& paper);
/// A line for each of the others.
PageTable other_table(const PaperScore& paper);
/// What the colours of the figures' bars stand for.
std::vector<PageBar::Part> bar_legend(const Pack& pack);

} // namespace gradflight
