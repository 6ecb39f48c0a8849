#include "scenarios/language/sweeps/axis_file.hpp"

#include "base/nearest_name.hpp"
#include "base/sheet.hpp"
#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

Node value_of(const CsvField& field, Position at) {
  std::vector<Problem> not_json;
  auto value = parse_json(field.text, at.file, not_json);
  auto node = value ? std::move(*value) : Node::of(field.text);
  node.position = at;
  return node;
}

/// Returns the index of the column. A sheet that lacks it gets a mistake.
std::size_t column_of(Sheet& sheet, const AxisFileForm& form) {
  const auto names = sheet.names();
  const auto last = form.path.substr(form.path.rfind('.') + 1);
  for (const auto& name : form.column.empty() ? std::vector{form.path, last} : std::vector{form.column})
    if (const auto at = sheet.index_of(name); at < names.size()) return at;
  if (!form.column.empty())
    sheet.mistakes.push_back(
        {sheet.header.line, 1,
         fmt::format("the file has no column \"{}\"{}", form.column, did_you_mean(form.column, names))});
  else if (names.size() > 1)
    sheet.mistakes.push_back(
        {sheet.header.line, 1,
         fmt::format("the file has neither a column \"{}\" nor \"{}\": name a column with \"column\". Allowed: {}",
                     form.path, last, joined(names))});
  return 0;
}

} // namespace

std::vector<Node> axis_values(std::string_view content, const AxisFileForm& form, int file, const std::string& pointer,
                              std::vector<Problem>& problems) {
  Sheet sheet = form.csv ? read_sheet(content) : read_list(content);
  const auto column = sheet.header.fields.empty() ? 0 : column_of(sheet, form);
  if (sheet.rows.empty() && sheet.mistakes.empty()) sheet.mistakes.push_back({1, 1, "the file has no values"});
  for (const auto& mistake : sheet.mistakes)
    problems.push_back({{file, mistake.line, mistake.column}, pointer, mistake.message});
  std::vector<Node> values;
  for (const auto& row : sheet.rows)
    values.push_back(value_of(row.fields[column], {file, row.line, row.fields[column].column}));
  return values;
}

} // namespace gradflight
