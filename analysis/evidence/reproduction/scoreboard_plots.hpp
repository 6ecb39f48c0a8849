// The plots of a paper's page: simulated against reported values, and the errors separately, because decades hide them.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"
#include "analysis/run/pages/plot.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gradflight {

/// Returns the figures that a logarithmic axis can show.
nlohmann::ordered_json plot_rows(const PaperScore& paper);

struct ScoreboardPlot {
  std::string caption, label;
  Plot plot;
};
/// Plots those rows. The axes fit the predicted and fitted figures; other figures beyond them are drawn at their ends.
std::vector<ScoreboardPlot> scoreboard_plots(const nlohmann::ordered_json& rows);

} // namespace gradflight
