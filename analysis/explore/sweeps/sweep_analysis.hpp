// Analyses a merged sweep: where the closed form fails, by how much and why; the best points; the gain along an axis.
#pragma once

#include "analysis/explore/sweeps/sweep_merge.hpp"
#include "base/human.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// A simulated row, compared with its closed form.
struct AnalysedPoint {
  std::size_t row = 0;
  double time_s = 0;
  std::optional<double> form_s, error; ///< error: relative; empty without a form
  std::vector<std::string> failed;     ///< ids of assumptions (analysis/run/forms/assumption.hpp)
  /// "agree", "explained", "off" (no assumption fails), "no form"
  std::string verdict;

  /// The time in an order of points: those that differ by rounding alone are equal, and stay as the sweep has them.
  [[nodiscard]] double ordered_time() const { return rounded_to(time_s, 9); }
};

/// Errors of a group of points.
struct ErrorGroup {
  std::string column, value;          ///< column empty: `value` is the id of an assumption
  std::size_t points = 0, beyond = 0; ///< beyond: error larger than the tolerance
  double median = 0;                  ///< of |error|
  double most = 0;                    ///< the error with the largest magnitude, with its sign
  std::size_t worst_row = 0;
};

struct SweepAnalysis {
  std::string form = "closed form", simulated = "simulated"; ///< what is compared with what
  std::vector<AnalysedPoint> points;
  std::vector<ErrorGroup> by_assumption; ///< most frequent first; a point counts for each of its assumptions
  std::vector<ErrorGroup> by_axis;       ///< each value of each axis that has several, in order
  std::size_t not_ok = 0;                ///< rows that were not simulated
};
SweepAnalysis analyse(const SweepTable& table, double tolerance);
/// The same for a formula and the quantity that it predicts. `by_assumption` lists failed assumptions of the closed
/// form where the formula is off; verdicts are "agree" and "differ".
SweepAnalysis analyse_formula(const SweepTable& table, const FormulaColumn& formula, double tolerance);

/// Columns of the axes, without paths of axes that have labels.
std::vector<std::size_t> telling_axes(const SweepTable& table);

/// The index of a column by its name, or by the end of an axis path ("nodes"). Throws std::invalid_argument.
std::size_t column_named(const SweepTable& table, const std::string& name);

/// Returns the rows that no other row beats in both columns (less is better), sorted by the first column. Ignores rows
/// without numbers there; of equal rows the first stays.
std::vector<std::size_t> pareto_front(const SweepTable& table, std::size_t first, std::size_t second);

/// The front among the rows with equal values in the fixed columns, which are given, not chosen.
struct ParetoFront {
  std::size_t example = 0; ///< a row with these values
  std::vector<std::size_t> rows;
};
std::vector<ParetoFront> pareto_fronts(const SweepTable& table, std::size_t first, std::size_t second,
                                       const std::vector<std::size_t>& fixed);

/// `value` of column `axis` is the baseline: each other row is compared with the row that differs only in that axis.
struct Speedup {
  std::size_t row = 0;
  double factor = 0; ///< time of the baseline / time of the row
};
/// `value`: as in the table, or a quantity in any unit. Throws std::invalid_argument if the axis has no such value.
std::vector<Speedup> speedups(const SweepTable& table, std::size_t axis, const std::string& value);

} // namespace gradflight
