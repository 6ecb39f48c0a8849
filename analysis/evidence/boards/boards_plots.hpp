// The plots of the measured boards.
#pragma once

#include "analysis/evidence/boards/boards.hpp"
#include "analysis/run/pages/plot.hpp"

#include <nlohmann/json.hpp>

namespace gradflight {

/// Returns every simulated case with its bus bandwidths.
nlohmann::ordered_json case_rows(const BoardPack& pack);
/// Returns every job at every scale: throughput per GPU relative to the smallest scale, measured and simulated.
nlohmann::ordered_json training_rows(const BoardPack& pack);

/// Plots simulated over measured time against size. `color` is the field that distinguishes points, "pack" or "table".
Plot ratio_plot(const nlohmann::ordered_json& rows, const char* color);
/// Plots measured and simulated bus bandwidth of one machine against size, for each operation and group of ranks.
std::vector<TitledPlot> bandwidth_plots(const nlohmann::ordered_json& rows);
/// Plots measured points and simulated lines of one pack against the number of GPUs, for each job.
std::vector<TitledPlot> training_plots(const nlohmann::ordered_json& rows);
/// Plots the time of concurrent jobs against their number, for each number of nodes.
std::vector<TitledPlot> contention_plots(const BoardPack& pack);

} // namespace gradflight
