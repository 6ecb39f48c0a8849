// What a merged sweep says: where the closed form breaks, by how much and why; what is best; what an axis buys.
#pragma once

#include "analysis/exploration/sweep_merge.hpp"

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
  std::vector<std::string> failed;     ///< ids of assumptions (analysis/forms/assumption.hpp)
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
  std::vector<AnalysedPoint> points;
  std::vector<ErrorGroup> by_assumption; ///< most frequent first; a point counts for each of its assumptions
  std::vector<ErrorGroup> by_axis;       ///< each value of each axis that has several, in order
  std::size_t not_ok = 0;                ///< rows that were not simulated
};
SweepAnalysis analyse(const SweepTable& table, double tolerance);

/// The index of a column by its name, or by the end of an axis path ("nodes"). Throws std::invalid_argument.
std::size_t column_named(const SweepTable& table, const std::string& name);

/// Rows that no other row beats in both columns (less is better), by the first column. Rows without numbers there do
/// not take part; of equal rows the first stays.
std::vector<std::size_t> pareto_front(const SweepTable& table, std::size_t first, std::size_t second);

/// `value` of column `axis` is 1: every other row against the one that differs from it in that axis alone.
struct Speedup {
  std::size_t row = 0;
  double factor = 0; ///< time of the baseline / time of the row
};
/// Throws std::invalid_argument where the axis has no such value.
std::vector<Speedup> speedups(const SweepTable& table, std::size_t axis, const std::string& value);

} // namespace gradflight
