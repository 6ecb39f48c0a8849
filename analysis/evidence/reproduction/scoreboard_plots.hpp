// The plots of a paper's page: reported against simulated, and the error alone, which several decades hide.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"
#include "analysis/run/pages/plot.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gradflight {

/// The figures that a logarithmic axis takes.
nlohmann::ordered_json plot_rows(const PaperScore& paper);

struct ScoreboardPlot {
  std::string caption, label;
  Plot plot;
};
/// Of those rows. Axes fit what is predicted and fitted; all else is at their ends where it is beyond.
std::vector<ScoreboardPlot> scoreboard_plots(const nlohmann::ordered_json& rows);

} // namespace gradflight
