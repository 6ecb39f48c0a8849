// A sweep's points with all results in one table, which does not depend on who computed them in which order.
#pragma once

#include "analysis/explore/sweeps/sweep_records.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct SweepColumn {
  enum class Type { integer, real, text };
  std::string name; ///< carries the unit: "time_s"
  Type type = Type::text;
};

/// A computed column, and the column that it predicts, if any.
struct FormulaColumn {
  std::size_t column = 0;
  std::optional<std::size_t> against;
};

/// Columns: point (the combination's number), id, status, message; then axis_columns; then quantity_columns; then the
/// sweep's formulas. Rows are in the order of the combinations; of combinations with the same scenario only the first
/// is included.
struct SweepTable {
  std::vector<SweepColumn> columns;
  std::vector<std::vector<Cell>> rows;
  std::size_t axis_columns = 0;
  std::vector<std::size_t> behind_labels{}; ///< columns of paths on axes with labels; the labels suffice
  std::vector<std::string> axis_paths{};    ///< of each axis column; empty: their names
  std::vector<std::size_t> axis_numbers{};  ///< of each axis column: zipped ones share an axis
  std::vector<FormulaColumn> formulas{};
  [[nodiscard]] std::size_t first_axis() const { return 4; }
  /// Returns the path that an axis column changes, whatever its name.
  [[nodiscard]] const std::string& axis_path(std::size_t column) const {
    return axis_paths.empty() ? columns[column].name : axis_paths[column - first_axis()];
  }
  [[nodiscard]] std::size_t first_quantity() const { return first_axis() + axis_columns; }
  /// Returns the index of a column after the axes; columns.size() if it does not exist.
  [[nodiscard]] std::size_t quantity(const std::string& column) const;
};

struct MergedSweep {
  SweepTable table;
  std::int64_t points = 0;   ///< total, with duplicates counted once
  std::int64_t missing = 0;  ///< of these, not yet run
  std::int64_t repeated = 0; ///< combinations with the same scenario as an earlier one
  std::int64_t unknown = 0;  ///< records of unknown points, for example of another model version
};
MergedSweep merge_sweep(const Sweep& sweep, const RecordSet& records);

/// The shortest form of a number that reads back to the same bits; empty without a value.
std::string cell_text(const Cell& cell);
std::optional<double> cell_number(const Cell& cell);

/// The beginning of each sweep_csv().
inline constexpr std::string_view sweep_csv_opening = "point,id,status,message";
/// A header and a line for each row.
std::string sweep_csv(const SweepTable& table);

/// Returns whether a file holds the tables of write_sqlite().
bool is_sweep_sqlite(const std::filesystem::path& path);

/// Writes the table `results`, and the table `sweep` with name, model_version and the sweep file. Equal tables give
/// equal bytes (with the same SQLite). Writes a temporary file and renames it. Throws OutputError.
void write_sqlite(const SweepTable& table, const Sweep& sweep, const std::filesystem::path& path);

} // namespace gradflight
