#include "analysis/exploration/sweep_quantities.hpp"

#include "analysis/text/result_json.hpp"
#include "scenarios/language/tables/shape.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

/// The pointers of every single value that a result may have; 0 stands for the number of an item.
const std::vector<std::string>& known_pointers() {
  static const auto pointers = [] {
    // A result with one of everything says what results hold, so there is no second list to keep.
    Outcome sample;
    sample.scenario.phases.resize(2);
    sample.result.iterations.resize(1);
    sample.result.links.resize(1);
    sample.result.data = DataResult{};
    sample.result.data->steps.resize(1);
    sample.result.data->selection = SelectionResult{0, 0.0, 0.0};
    sample.form.form = ClosedForm{};
    sample.form.form->assumptions.resize(1);
    sample.form.form->paper = PaperForm{};
    std::vector<std::string> all;
    auto object = result_object(sample);
    for (const auto* not_a_quantity : {"scenario", "id", "engine"}) object.erase(not_a_quantity);
    const auto flat = object.flatten();
    for (const auto& [pointer, value] : flat.items()) all.push_back(pointer);
    return all;
  }();
  return pointers;
}

std::string column_name(const std::string& pointer) {
  auto name = pointer.substr(1);
  std::ranges::replace(name, '/', '_');
  return name;
}

bool number(std::string_view token) {
  return !token.empty() &&
         std::ranges::all_of(token, [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
}

/// "/links/12/busy_s" -> "/links/0/busy_s"
std::string with_first_items(const std::string& pointer) {
  std::string out;
  for (std::size_t at = 0; at < pointer.size();) {
    const auto end = std::min(pointer.find('/', at + 1), pointer.size());
    const auto token = pointer.substr(at + 1, end - at - 1);
    out += number(token) ? "/0" : "/" + token;
    at = end;
  }
  return out;
}

std::optional<std::string> pointer_of(const std::string& name) {
  auto pointer = name;
  if (!name.starts_with('/')) {
    std::ranges::replace(pointer, '.', '/');
    pointer.insert(0, "/");
  }
  const auto& known = known_pointers();
  if (std::ranges::find(known, with_first_items(pointer)) != known.end()) return pointer;
  const auto column = std::ranges::find(known, name, column_name);
  return column == known.end() ? std::nullopt : std::optional(*column);
}

Cell cell_of(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return std::string(value.get<bool>() ? "true" : "false");
  return {};
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
  std::vector<QuantityColumn> columns;
  for (const auto& name : names) {
    const auto pointer = pointer_of(name).value();
    const QuantityColumn column{pointer, column_name(pointer)};
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  }
  return columns;
}

std::string quantity_problem(const std::string& name) {
  if (pointer_of(name)) return {};
  std::vector<std::string> names;
  for (const auto& pointer : known_pointers()) {
    auto dotted = pointer.substr(1);
    std::ranges::replace(dotted, '/', '.');
    names.push_back(std::move(dotted));
  }
  return fmt::format("\"{}\" is no quantity of the result{}", name, did_you_mean(name, names));
}

std::vector<Cell> quantity_cells(const Outcome& outcome, const std::vector<QuantityColumn>& columns) {
  const auto object = result_object(outcome);
  std::vector<Cell> cells;
  for (const auto& column : columns) {
    const Json::json_pointer pointer(column.pointer);
    cells.push_back(object.contains(pointer) ? cell_of(object.at(pointer)) : Cell{});
  }
  return cells;
}

} // namespace gradflight
