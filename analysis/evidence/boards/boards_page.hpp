// The measured boards as a page: statistics, and measured and simulated values over size for each machine and
// operation.
#pragma once

#include "analysis/evidence/boards/leave_one_out.hpp"
#include "analysis/run/pages/plot.hpp"

#include <span>
#include <string>
#include <vector>

namespace gradflight {

/// Returns a self-contained page (page.hpp).
std::string boards_page(const MeasuredBoards& measured, const std::string& command = {});

// Plots of the page:

/// Plots simulated over measured time of collectives against size. Points differ by pack or by table.
Plot ratio_plot(std::span<const BoardPack> packs, bool by_pack);
/// Plots measured and simulated bus bandwidth of one machine against size, for each operation and group of ranks.
std::vector<TitledPlot> bandwidth_plots(const BoardPack& pack);
/// Plots throughput per GPU relative to the smallest scale, measured and simulated, against GPUs, for each job.
std::vector<TitledPlot> training_plots(const BoardPack& pack);
/// Plots the time of concurrent jobs against their number, for each number of nodes.
std::vector<TitledPlot> contention_plots(const BoardPack& pack);

} // namespace gradflight
