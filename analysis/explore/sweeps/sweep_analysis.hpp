// What a merged sweep says: where the closed form breaks, by how much and why; what is best; what an axis buys.
#pragma once

#include "analysis/explore/sweeps/sweep_merge.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// A row that was simulated, held against its closed form.
struct AnalysedPoint {
  std::size_t row = 0;
  double time_s = 0;
  std::optional<double> form_s, error; ///< error: relative; empty without a form
  std::vector<std::string> failed;     ///< ids of assumptions (analysis/run/forms/assumption.hpp)
  /// "agree", "explained", "off" (no assumption fails), "no form"
  std::string verdict;
};

/// Errors of a group of points.
struct ErrorGroup {
  std::string column, value;          ///< column empty: `value` is the id of an assumption
  std::size_t points = 0, beyond = 0; ///< beyond: further off than the tolerance
  double median = 0;                  ///< of |error|
  double most = 0;                    ///< the error that is greatest in size, with its sign
  std::size_t worst_row = 0;
};

struct SweepAnalysis {
  std::string form = "closed form", simulated = "simulated"; ///< what is held against what
  std::vector<AnalysedPoint> points;
  std::vector<ErrorGroup> by_assumption; ///< most frequent first; a point counts for each of its assumptions
  std::vector<ErrorGroup> by_axis;       ///< each value of each axis that has several, in order
  std::size_t not_ok = 0;                ///< rows that were not simulated
};
SweepAnalysis analyse(const SweepTable& table, double tolerance);
/// The same of a formula against the quantity that it predicts; `by_assumption` has what fails of the closed form where
/// the formula is off, and verdicts are "agree" and "differ".
SweepAnalysis analyse_formula(const SweepTable& table, const FormulaColumn& formula, double tolerance);

/// Columns of the axes that say something of their own: all but paths whose axis has labels.
std::vector<std::size_t> telling_axes(const SweepTable& table);

/// The index of a column by its name, or by the end of an axis path ("nodes"). Throws std::invalid_argument.
std::size_t column_named(const SweepTable& table, const std::string& name);

/// Rows that no other row beats in both columns (less is better), by the first column. Rows without numbers there do
/// not take part; of equal rows the first stays.
std::vector<std::size_t> pareto_front(const SweepTable& table, std::size_t first, std::size_t second);

/// The front among the rows that have the same values in the fixed columns: what is given, not chosen.
struct ParetoFront {
  std::size_t example = 0; ///< a row with these values
  std::vector<std::size_t> rows;
};
std::vector<ParetoFront> pareto_fronts(const SweepTable& table, std::size_t first, std::size_t second,
                                       const std::vector<std::size_t>& fixed);

/// `value` of column `axis` is 1: every other row against the one that differs from it in that axis alone.
struct Speedup {
  std::size_t row = 0;
  double factor = 0; ///< time of the baseline / time of the row
};
/// `value`: as in the table, or a quantity in any unit. Throws std::invalid_argument where the axis has no such value.
std::vector<Speedup> speedups(const SweepTable& table, std::size_t axis, const std::string& value);

} // namespace gradflight
