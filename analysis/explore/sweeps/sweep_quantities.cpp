#include "analysis/explore/sweeps/sweep_quantities.hpp"

#include "analysis/run/result/fields/result_fields.hpp"
#include "base/nearest_name.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>
#include <vector>

namespace gradflight {
namespace {

constexpr const char* failed_column = "closed_form_failed";

std::string with_underscores(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

std::string column_name(const ResultPath& path) {
  std::string name;
  const ResultTableInfo* table = &result_table();
  for (const auto& step : path) {
    name += (name.empty() ? "" : "_") + table->info.fields[step.row].key;
    if (!step.item.empty()) name += '_' + step.item;
    table = table->rows[step.row].table;
  }
  return name;
}

/// Returns each id once, although the conditions of an operation's form share one. Empty without a form, or if all
/// assumptions hold.
Cell failed_assumptions(const Outcome& outcome) {
  if (!outcome.form.form) return {};
  std::vector<std::string_view> ids;
  for (const Assumption& assumption : outcome.form.form->failed())
    if (std::ranges::find(ids, name(assumption.id)) == ids.end()) ids.push_back(name(assumption.id));
  return ids.empty() ? Cell{} : Cell{fmt::to_string(fmt::join(ids, ";"))};
}

/// Items without names are identified by numbers, and these may differ from point to point.
bool numbers_are_numbers(const ResultPath& path) {
  const ResultTableInfo* table = &result_table();
  for (const auto& step : path) {
    const auto& shape = table->info.fields[step.row].shape;
    if (shape.kind == Shape::Kind::list && shape.item_name.empty() && !item_number(step.item)) return false;
    table = table->rows[step.row].table;
  }
  return true;
}

std::optional<ResultPath> path_of(std::string name) {
  if (name.starts_with('/')) {
    name.erase(0, 1);
    std::ranges::replace(name, '/', '.');
  }
  auto found = find_name(result_table(), name, NameKind::values);
  if (found.field != nullptr)
    return numbers_are_numbers(found.path) ? std::optional(std::move(found.path)) : std::nullopt;
  const auto names = value_names(result_table(), NameKind::values);
  const auto column = std::ranges::find(names, name, with_underscores);
  return column == names.end() ? std::nullopt
                               : std::optional(find_name(result_table(), *column, NameKind::values).path);
}

Cell cell_of(const std::optional<ResultValue>& value) {
  if (!value) return {};
  if (const auto* truth = std::get_if<bool>(&*value)) return std::string(*truth ? "true" : "false");
  if (const auto* integer = std::get_if<std::int64_t>(&*value)) return *integer;
  if (const auto* real = std::get_if<double>(&*value)) return *real;
  return std::get<std::string>(*value);
}

} // namespace

std::vector<QuantityColumn> quantity_columns(const Sweep& sweep) {
  std::vector<std::string> names = {"time_s", "closed_form.name", "closed_form.time_s", "closed_form.relative_error",
                                    "closed_form.cause"};
  for (const auto& kept : sweep.keep) names.push_back(kept.name);
  if (sweep.keep.empty())
    for (const auto* usual : {"iteration_time_s", "compute_time_s", "communication_time_s",
                              "exposed_communication_time_s", "messages", "payload_bytes", "wire_bytes"})
      names.emplace_back(usual);
  for (const auto& formula : sweep.formulas) {
    for (const auto& name : formula.names)
      if (name.kind == SweepFormula::Name::Kind::quantity) names.push_back(name.text);
    if (!formula.against.empty()) names.push_back(formula.against);
  }
  std::vector<QuantityColumn> columns;
  for (const auto& named : names) {
    auto path = path_of(named).value();
    auto column = column_name(path);
    if (std::ranges::find(columns, column, &QuantityColumn::name) == columns.end())
      columns.push_back({std::move(path), std::move(column)});
    if (named == "closed_form.cause") columns.push_back({{}, failed_column});
  }
  return columns;
}

namespace {

std::string quantity_problem(const std::string& name) {
  if (path_of(name)) return {};
  const std::string near = nearest_name(name, value_names(result_table(), NameKind::values));
  return fmt::format("\"{}\" is not a quantity of the result{}; docs/result-reference.md lists all", name,
                     near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near));
}

/// Returns 1 in the quantity's unit, or an example of its type.
WhereValue example_of(const std::string& name) {
  const auto path = path_of(name).value();
  const ResultTableInfo* table = &result_table();
  const FieldInfo* field = nullptr;
  for (const auto& step : path) {
    field = &table->info.fields[step.row];
    table = table->rows[step.row].table;
  }
  if (field->shape.kind == Shape::Kind::text) return std::string();
  if (field->shape.kind == Shape::Kind::boolean) return std::string("true");
  if (field->unit == "s") return Amount{1, powers_of(Dimension::time)};
  if (field->unit == "bytes") return Amount{1, powers_of(Dimension::bytes)};
  if (field->unit == "bytes/s") return Amount{1, powers_of(Dimension::byte_rate)};
  return Amount{1, {}};
}

} // namespace

const QuantityNames& quantity_names() {
  static const QuantityNames names{quantity_problem, example_of, value_names(result_table(), NameKind::values)};
  return names;
}

std::string quantity_column(const std::string& name) { return column_name(path_of(name).value()); }

std::vector<Cell> quantity_cells(const Outcome& outcome, const std::vector<QuantityColumn>& columns) {
  std::vector<Cell> cells;
  for (const auto& column : columns)
    cells.push_back(column.path.empty() ? failed_assumptions(outcome)
                                        : cell_of(result_table().read(outcome, column.path)));
  return cells;
}

} // namespace gradflight
