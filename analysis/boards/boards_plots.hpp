// The plots of the measured boards.
#pragma once

#include "analysis/boards/boards.hpp"
#include "analysis/pages/charts.hpp"

namespace gradflight {

/// Every case that is simulated, with its bus bandwidths.
ChartJson case_rows(const BoardPack& pack);
/// Every job at every scale: throughput per GPU relative to the smallest scale's, measured and simulated.
ChartJson training_rows(const BoardPack& pack);
/// Of one pack: measured points and simulated lines over GPUs, a plot for each job.
ChartJson training_plot(const std::string& data);
/// Simulated over measured time, over size; `color`: the field that tells points apart, "pack" or "table". Height in
/// pixels.
ChartJson ratio_plot(const std::string& data, const std::string& color, int height);
/// Of one machine: measured and simulated bus bandwidth over size, a plot for each operation and group of ranks.
ChartJson bandwidth_plots(const std::string& data);

} // namespace gradflight
