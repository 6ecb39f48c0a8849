#include "analysis/explore/sweeps/sweep_merge.hpp"

#include "analysis/explore/sweeps/sweep_quantities.hpp"
#include "base/csv.hpp"
#include "scenarios/language/sweeps/sweep_formulas.hpp"

#include <algorithm>
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

/// A column has one type: an integer among reals becomes a real, a number among texts becomes a text.
void convert(Cell& cell, Type type) {
  if (std::holds_alternative<std::monostate>(cell)) return;
  if (type == Type::real) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) cell = static_cast<double>(*integer);
  } else if (type == Type::text) {
    cell = cell_text(cell);
  }
}

std::vector<Cell> row_of(const SweepPoint& point, const SweepRecord& record, const Sweep& sweep,
                         const std::vector<AxisColumn>& axes, std::size_t quantities) {
  std::vector<Cell> row = {point.combination, point.id, std::string(point_status_name(record.status))};
  row.push_back(record.message.empty() ? Cell{} : Cell{record.message});
  const auto places = places_at(sweep, point.combination);
  for (const auto& axis : axes) row.push_back(axis_cell(axis, (*axis.values)[places[axis.axis]]));
  for (std::size_t i = 0; i < quantities; ++i) row.push_back(i < record.cells.size() ? record.cells[i] : Cell{});
  return row;
}

/// The values of names in formulas, for a row that is complete except for the formulas' columns.
class RowFormulas {
public:
  RowFormulas(const Sweep& sweep, const SweepTable& table, const std::vector<AxisColumn>& axes)
      : sweep_(sweep), table_(table), axes_(axes) {
    for (const auto& formula : sweep.formulas)
      for (const auto& name : formula.names) needs_scenario_ |= name.kind == SweepFormula::Name::Kind::scenario;
  }

  void append(std::vector<Cell>& row, const SweepPoint& point) const {
    const auto places = places_at(sweep_, point.combination);
    const auto scenario = needs_scenario_ && point.scenario ? whole_scenario(*point.scenario) : Node{};
    const auto value_of = [&](const SweepFormula::Name& name) -> std::optional<WhereValue> {
      if (name.kind == SweepFormula::Name::Kind::axis) {
        const auto& axis = axes_[name.index];
        return where_value((*axis.values)[places[axis.axis]]);
      }
      if (name.kind == SweepFormula::Name::Kind::quantity) return quantity(row, name);
      const auto* value = value_at(scenario, name.text);
      return value != nullptr ? std::optional(where_value(*value)) : std::nullopt;
    };
    for (const auto& value : formula_values(sweep_.formulas, value_of)) row.push_back(cell_of(value));
  }

private:
  [[nodiscard]] std::optional<WhereValue> quantity(const std::vector<Cell>& row, const SweepFormula::Name& name) const {
    const auto& cell = row[table_.quantity(quantity_column(name.text))];
    if (std::holds_alternative<std::monostate>(cell)) return std::nullopt;
    const auto number = cell_number(cell);
    if (!number) return cell_text(cell);
    const auto* unit = std::get_if<Amount>(&name.kind_of);
    return Amount{*number, unit != nullptr ? unit->powers : Powers{}};
  }

  static Cell cell_of(const std::optional<WhereValue>& value) {
    if (!value) return {};
    if (const auto* truth = std::get_if<bool>(&*value)) return std::string(*truth ? "true" : "false");
    if (const auto* amount = std::get_if<Amount>(&*value)) return amount->value;
    return std::get<std::string>(*value);
  }

  const Sweep& sweep_;
  const SweepTable& table_;
  const std::vector<AxisColumn>& axes_;
  bool needs_scenario_ = false;
};

/// Sets the columns, without types.
void name_columns(SweepTable& table, const Sweep& sweep, const std::vector<AxisColumn>& axes,
                  const std::vector<QuantityColumn>& quantities) {
  table.axis_columns = axes.size();
  for (const auto* name : {"point", "id", "status", "message"}) table.columns.push_back({name, Type::text});
  for (const auto& axis : axes) {
    table.axis_paths.push_back(axis.path);
    table.axis_numbers.push_back(axis.axis);
    if (axis.behind_label) table.behind_labels.push_back(table.columns.size());
    table.columns.push_back({axis.name, Type::text});
  }
  for (const auto& quantity : quantities) table.columns.push_back({quantity.name, Type::text});
  for (const auto& formula : sweep.formulas) {
    FormulaColumn column{table.columns.size(), {}};
    if (!formula.against.empty()) column.against = table.quantity(quantity_column(formula.against));
    table.formulas.push_back(column);
    table.columns.push_back({formula.column, Type::text});
  }
}

} // namespace

std::size_t SweepTable::quantity(const std::string& column) const {
  const auto found = std::find_if(columns.begin() + static_cast<std::ptrdiff_t>(first_quantity()), columns.end(),
                                  [&](const SweepColumn& each) { return each.name == column; });
  return static_cast<std::size_t>(found - columns.begin());
}

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
  const auto axes = axis_columns(sweep);
  const auto quantities = quantity_columns(sweep);
  name_columns(table, sweep, axes, quantities);
  const RowFormulas formulas(sweep, table, axes);
  const auto add = [&](const SweepPoint& point, const SweepRecord& record) {
    table.rows.push_back(row_of(point, record, sweep, axes, quantities.size()));
    formulas.append(table.rows.back(), point);
  };

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
      add(point, found->second);
    } else if (!point.scenario) {
      add(point, {point.id, PointStatus::invalid, brief_message(point.errors), {}, 0, 0});
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
