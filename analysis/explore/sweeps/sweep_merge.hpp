// A sweep's points with all that is known about each: one table, the same whoever found it in which order.
#pragma once

#include "analysis/explore/sweeps/sweep_records.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct SweepColumn {
  enum class Type { integer, real, text };
  std::string name; ///< carries the unit: "time_s"
  Type type = Type::text;
};

/// A column that is worked out, and the one that it predicts, if any.
struct FormulaColumn {
  std::size_t column = 0;
  std::optional<std::size_t> against;
};

/// Columns: point (the combination's number), id, status, message; then axis_columns; then quantity_columns; then the
/// sweep's formulas. Rows in the order of the combinations; of combinations that are the same scenario only the first.
struct SweepTable {
  std::vector<SweepColumn> columns;
  std::vector<std::vector<Cell>> rows;
  std::size_t axis_columns = 0;
  std::vector<std::size_t> behind_labels{}; ///< columns of paths whose axis has labels: these say enough
  std::vector<std::string> axis_paths{};    ///< of each axis column; empty: their names
  std::vector<std::size_t> axis_numbers{};  ///< of each axis column: zipped ones have one axis in common
  std::vector<FormulaColumn> formulas{};
  [[nodiscard]] std::size_t first_axis() const { return 4; }
  /// What a column of the axes changes, whatever it is called.
  [[nodiscard]] const std::string& axis_path(std::size_t column) const {
    return axis_paths.empty() ? columns[column].name : axis_paths[column - first_axis()];
  }
  [[nodiscard]] std::size_t first_quantity() const { return first_axis() + axis_columns; }
  /// The index of a column behind the axes'; columns.size() where there is none.
  [[nodiscard]] std::size_t quantity(const std::string& column) const;
};

struct MergedSweep {
  SweepTable table;
  std::int64_t points = 0;   ///< that the sweep has, duplicates counted once
  std::int64_t missing = 0;  ///< of those, not run yet
  std::int64_t repeated = 0; ///< combinations that are the same scenario as an earlier one
  std::int64_t unknown = 0;  ///< records of no point: of another model version, say
};
MergedSweep merge_sweep(const Sweep& sweep, const RecordSet& records);

/// Numbers in the shortest form that reads back to the same bits; empty for nothing.
std::string cell_text(const Cell& cell);
std::optional<double> cell_number(const Cell& cell);

/// A header and a line each.
std::string sweep_csv(const SweepTable& table);

/// The table `results`, and the table `sweep` with name, model_version and the sweep file. The same table makes the
/// same bytes (with the same SQLite). Written beside and renamed. Throws OutputError.
void write_sqlite(const SweepTable& table, const Sweep& sweep, const std::filesystem::path& path);

} // namespace gradflight
