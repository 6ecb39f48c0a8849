// The plots of a paper's page: reported against simulated, and the error alone, which several decades hide.
#pragma once

#include "analysis/pages/charts.hpp"
#include "analysis/reproduction/scoreboard.hpp"

namespace gradflight {

/// The figures that a logarithmic axis takes.
ChartJson plot_rows(const PaperScore& paper);
/// Of rows that the page knows as `data`. Axes fit what is predicted and fitted; all else is at their ends where it is
/// beyond.
ChartJson scoreboard_plots(const ChartJson& rows, const std::string& data);

} // namespace gradflight
