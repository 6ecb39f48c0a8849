// The plots of the measured boards.
#pragma once

#include "analysis/boards/boards.hpp"
#include "analysis/pages/charts.hpp"

namespace gradflight {

/// Every case that is simulated, with its bus bandwidths.
ChartJson case_rows(const BoardPack& pack);
/// Relative error over size, a colour for each machine; of all packs' rows.
ChartJson error_plot(const std::string& data);
/// Of one operation on one machine: measured and simulated bus bandwidth over size, a plot for each group of ranks.
ChartJson bandwidth_plot(const std::string& data, Operation op);

} // namespace gradflight
