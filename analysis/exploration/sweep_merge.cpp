#include "analysis/exploration/sweep_merge.hpp"

#include "analysis/exploration/sweep_quantities.hpp"

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

std::string csv_field(const Cell& cell) {
  auto text = cell_text(cell);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
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
  std::string out;
  const auto end_line = [&] { out.back() = '\n'; };
  for (const auto& column : table.columns) out += csv_field(column.name) + ",";
  end_line();
  for (const auto& row : table.rows) {
    for (const auto& cell : row) out += csv_field(cell) + ",";
    end_line();
  }
  return out;
}

} // namespace gradflight
