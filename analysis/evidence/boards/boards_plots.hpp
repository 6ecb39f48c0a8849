// The plots of the measured boards.
#pragma once

#include "analysis/evidence/boards/boards.hpp"
#include "analysis/run/pages/plot.hpp"

#include <nlohmann/json.hpp>

namespace gradflight {

/// Every case that is simulated, with its bus bandwidths.
nlohmann::ordered_json case_rows(const BoardPack& pack);
/// Every job at every scale: throughput per GPU relative to the smallest scale's, measured and simulated.
nlohmann::ordered_json training_rows(const BoardPack& pack);

/// Simulated over measured time, over size; `color`: the field that tells points apart, "pack" or "table".
Plot ratio_plot(const nlohmann::ordered_json& rows, const char* color);
/// Of one machine: measured and simulated bus bandwidth over size, a plot for each operation and group of ranks.
std::vector<TitledPlot> bandwidth_plots(const nlohmann::ordered_json& rows);
/// Of one pack: measured points and simulated lines over GPUs, a plot for each job.
std::vector<TitledPlot> training_plots(const nlohmann::ordered_json& rows);
/// Of jobs beside each other: time over how many there are, a plot for each number of nodes.
std::vector<TitledPlot> contention_plots(const BoardPack& pack);

} // namespace gradflight
