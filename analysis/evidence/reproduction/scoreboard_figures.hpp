// Tables of a paper's figures: reported and simulated values, and sensitivities.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"
#include "analysis/run/pages/page.hpp"

namespace gradflight {

/// Returns a row for each simulated figure.
PageTable figure_table(const PaperScore& paper);
/// Returns a row for each of the other figures.
PageTable other_table(const PaperScore& paper);
/// Returns the meanings of the colours in the figures' bars.
std::vector<PageBar::Part> bar_legend(const Pack& pack);

} // namespace gradflight
