// The page of a sweep's analysis.
#pragma once

#include "analysis/explore/sweeps/sweep_analysis.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct ParetoChoice {
  std::size_t first = 0, second = 0; ///< columns
  std::vector<std::size_t> fixed;    ///< columns; each combination of their values has its own front
  std::vector<ParetoFront> fronts;
};
struct BaselineChoice {
  std::size_t axis = 0; ///< column
  std::string value;
  std::vector<Speedup> speedups;
};

struct AnalysisView {
  std::string name; ///< of the sweep
  double tolerance = 0;
  std::optional<ParetoChoice> pareto;
  std::optional<BaselineChoice> baseline;
  std::vector<SweepAnalysis> formulas{};
  std::string incomplete{}; ///< "3 points missing: the sweep is incomplete"; empty if none is missing
};

/// `command`: the command line that made the page; empty: not shown.
std::string analysis_page(const SweepTable& table, const SweepAnalysis& analysis, const AnalysisView& view,
                          const std::string& command = {});

/// Returns the end of a path or column that identifies it, without a unit, which its values have: "oversubscription",
/// "tensors.0.bytes", "bandwidth" of "bandwidth_bytes_per_s".
std::string short_name(const std::string& path);
/// "bandwidth = 10 Gbps", or an assumption's id.
std::string group_text(const SweepTable& table, const ErrorGroup& group);

/// "44 points simulated, 10 agree, 34 explained"
std::string verdict_text(const SweepAnalysis& analysis);

/// Returns the size of an error without a sign.
std::string magnitude_text(double error);

/// Returns a row's axis values: "nodes=8, bytes=64000000".
std::string row_text(const SweepTable& table, std::size_t row);
/// Only the given columns.
std::string row_text(const SweepTable& table, std::size_t row, const std::vector<std::size_t>& columns);

/// "mine_s against time_s: 44 points, median |error| 3.1 %, greatest +63 % at nodes=8".
std::string formula_text(const SweepTable& table, const SweepAnalysis& formula);
/// "Fastest: 228.75 us at nodes=8, ...; slowest: ...". Empty if no point was simulated.
std::string extremes_text(const SweepTable& table, const SweepAnalysis& analysis);

} // namespace gradflight
