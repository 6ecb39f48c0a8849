// The text that `analyze` prints for a sweep's table, and the choices by its options.
#pragma once

#include "analysis/explore/sweeps/sweep_page.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace gradflight {

/// The verdict. Times: the fastest and slowest point, and for each setting the fastest value of the first axis of
/// texts. How far off each formula is, over the axes, and which assumptions of the closed form fail there. Where the
/// closed form fails: by assumption, over the axes.
std::string analysis_text(const SweepTable& table, const SweepAnalysis& analysis,
                          const std::vector<SweepAnalysis>& formulas = {});

/// Simulated points at which a formula has no value.
struct EmptyCells {
  std::int64_t simulated = 0, empty = 0;
  std::size_t first_row = 0;
  [[nodiscard]] bool all() const { return empty > 0 && empty == simulated; }
};
EmptyCells empty_cells(const SweepTable& table, const FormulaColumn& formula);
/// Says at how many points a formula has no value, and which is the first. Empty if it has one everywhere.
std::string empty_formula_text(const SweepTable& table, const FormulaColumn& formula);
/// A line for each formula without a value at some simulated points. Empty if all have values.
std::string empty_formulas_text(const SweepTable& table);

/// "COLUMN,COLUMN"; `fixed`: axes between commas, with a front for each of their values. Without `fixed`: the
/// workload's axes, since steps of different work are not compared. Throws std::invalid_argument.
ParetoChoice pareto_of(const SweepTable& table, const std::string& names, const std::optional<std::string>& fixed = {});
std::string pareto_text(const SweepTable& table, const ParetoChoice& choice);

/// "AXIS=VALUE"; throws std::invalid_argument.
BaselineChoice baseline_of(const SweepTable& table, const std::string& text);
/// For each value of the axis: how much faster its points are than their baselines.
std::string speedup_text(const SweepTable& table, const BaselineChoice& choice);

} // namespace gradflight
