// The scoreboard as a page: for each paper a plot of simulated against reported values, its figures, parameters and
// exclusions.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"
#include "analysis/run/pages/page.hpp"

namespace gradflight {

/// Returns a self-contained page (page.hpp).
std::string scoreboard_page(const Scoreboard& scoreboard, const std::string& command);

// Parts of the page, for a paper:

/// Returns a row for each simulated figure.
PageTable figure_table(const PaperScore& paper);
/// Returns a row for each of the other figures.
PageTable other_table(const PaperScore& paper);
/// Returns the meanings of the colours in the figures' bars.
std::vector<PageBar::Part> bar_legend(const Pack& pack);
/// Plots simulated against reported values, and the errors separately, because decades hide them. The axes fit the
/// predicted and fitted figures; other figures beyond them are drawn at their ends.
void add_plots(Page& page, const PaperScore& paper);

} // namespace gradflight
