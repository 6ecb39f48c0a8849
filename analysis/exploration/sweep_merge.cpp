#include "analysis/exploration/sweep_merge.hpp"

#include "analysis/exploration/sweep_quantities.hpp"
#include "models/csv.hpp"

#include <fmt/format.h>
#include <set>

namespace gradflight {
namespace {

using Type = SweepColumn::Type;

Type type_of(const std::vector<std::vector<Cell>>& rows, std::size_t column) {
  bool integers = true, numbers = true, any = false;
  for (const auto& row : rows) {
    const auto& cell = row[column];
    if (std::holds_alternative<std::monostate>(cell)) continue;
    any = true;
    integers &= std::holds_alternative<std::int64_t>(cell);
    numbers &= !std::holds_alternative<std::string>(cell);
  }
  return any && integers ? Type::integer : any && numbers ? Type::real : Type::text;
}

/// A column has one type: an integer among reals is a real, a number among texts is a text.
void convert(Cell& cell, Type type) {
  if (std::holds_alternative<std::monostate>(cell)) return;
  if (type == Type::real) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) cell = static_cast<double>(*integer);
  } else if (type == Type::text) {
    cell = cell_text(cell);
  }
}

std::vector<Cell> row_of(const SweepPoint& point, const SweepRecord& record, const Sweep& sweep,
                         const std::vector<PathColumn>& paths, std::size_t quantities) {
  std::vector<Cell> row = {point.combination, point.id, std::string(point_status_name(record.status))};
  row.push_back(record.message.empty() ? Cell{} : Cell{record.message});
  const auto values = values_at(sweep, point.combination);
  for (std::size_t i = 0; i < paths.size(); ++i) row.push_back(path_cell(paths[i], *values[i]));
  for (std::size_t i = 0; i < quantities; ++i) row.push_back(i < record.cells.size() ? record.cells[i] : Cell{});
  return row;
}

} // namespace

std::string cell_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  return {};
}

std::optional<double> cell_number(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

MergedSweep merge_sweep(const Sweep& sweep, const RecordSet& records) {
  MergedSweep merged;
  auto& table = merged.table;
  const auto paths = path_columns(sweep);
  const auto quantities = quantity_columns(sweep);
  table.axis_columns = paths.size();
  for (const auto* name : {"point", "id", "status", "message"}) table.columns.push_back({name, Type::text});
  for (const auto& path : paths) table.columns.push_back({path.name, Type::text});
  for (const auto& quantity : quantities) table.columns.push_back({quantity.name, Type::text});

  std::set<std::string> seen;
  std::size_t known = 0;
  for (const auto combination : selected_combinations(sweep)) {
    const auto point = point_at(sweep, combination);
    if (!seen.insert(point.id).second) {
      ++merged.repeated;
      continue;
    }
    ++merged.points;
    const auto found = records.by_id.find(point.id);
    if (found != records.by_id.end()) {
      ++known;
      table.rows.push_back(row_of(point, found->second, sweep, paths, quantities.size()));
    } else if (!point.scenario) {
      const SweepRecord invalid{point.id, PointStatus::invalid, brief_message(point.errors), {}, 0, 0};
      table.rows.push_back(row_of(point, invalid, sweep, paths, quantities.size()));
    } else {
      ++merged.missing;
    }
  }
  merged.unknown = std::ssize(records.by_id) - static_cast<std::int64_t>(known);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    table.columns[i].type = type_of(table.rows, i);
    for (auto& row : table.rows) convert(row[i], table.columns[i].type);
  }
  return merged;
}

std::string sweep_csv(const SweepTable& table) {
  std::vector<std::string> fields;
  for (const auto& column : table.columns) fields.push_back(column.name);
  std::string out = csv_line(fields);
  for (const auto& row : table.rows) {
    fields.clear();
    for (const auto& cell : row) fields.push_back(cell_text(cell));
    out += csv_line(fields);
  }
  return out;
}

} // namespace gradflight
