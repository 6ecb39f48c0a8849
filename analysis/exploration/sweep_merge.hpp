// A sweep's points with all that is known about each: one table, the same whoever found it in which order.
#pragma once

#include "analysis/exploration/sweep_records.hpp"

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

/// Columns: point (the combination's number), id, status, message; then the axes' paths; then quantity_columns. Rows in
/// the order of the combinations; of combinations that are the same scenario only the first.
struct SweepTable {
  std::vector<SweepColumn> columns;
  std::vector<std::vector<Cell>> rows;
  std::size_t axis_columns = 0;
  [[nodiscard]] std::size_t first_axis() const { return 4; }
  [[nodiscard]] std::size_t first_quantity() const { return first_axis() + axis_columns; }
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
