// What `analyze` prints of a sweep's table, and how its options choose from it.
#pragma once

#include "analysis/explore/sweeps/sweep_page.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace gradflight {

/// The verdict. Times: the fastest and slowest point, and for each setting the fastest value of the first axis of
/// texts. How far off each formula is, over the axes, and what fails of the closed form there. Where the closed form
/// breaks: by failed assumption, over the axes.
std::string analysis_text(const SweepTable& table, const SweepAnalysis& analysis,
                          const std::vector<SweepAnalysis>& formulas = {});

/// Simulated points at which a formula has no value.
struct EmptyCells {
  std::int64_t simulated = 0, empty = 0;
  std::size_t first_row = 0;
  [[nodiscard]] bool all() const { return empty > 0 && empty == simulated; }
};
EmptyCells empty_cells(const SweepTable& table, const FormulaColumn& formula);
/// At how many points a formula has no value, and at which first. Empty: it has one everywhere.
std::string empty_formula_text(const SweepTable& table, const FormulaColumn& formula);
/// A line for each formula that has no value at some simulated points. Empty: none.
std::string empty_formulas_text(const SweepTable& table);

/// "COLUMN,COLUMN" and, for each of whose values there is a front, axes between commas; without a value the axes of the
/// workload, since steps of different work are not compared. Throws std::invalid_argument.
ParetoChoice pareto_of(const SweepTable& table, const std::string& names, const std::optional<std::string>& fixed = {});
std::string pareto_text(const SweepTable& table, const ParetoChoice& choice);

/// "AXIS=VALUE"; throws std::invalid_argument.
BaselineChoice baseline_of(const SweepTable& table, const std::string& text);
/// For each value of the axis: how much faster its points are than their baselines.
std::string speedup_text(const SweepTable& table, const BaselineChoice& choice);

} // namespace gradflight
