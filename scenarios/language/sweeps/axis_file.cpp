#include "scenarios/language/sweeps/axis_file.hpp"

#include "base/csv.hpp"
#include "base/nearest_name.hpp"
#include "base/utf.hpp"
#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

struct Field {
  std::string text;
  Position position;
};

/// Returns the lines with content as fields with their positions.
std::vector<Field> lines_of(std::string_view content, int file, bool comments) {
  std::vector<Field> lines;
  int number = 0;
  for (const auto whole : text_lines(content)) {
    ++number;
    const auto line = trimmed(whole);
    if (line.empty() || (comments && line.front() == '#')) continue;
    lines.push_back({std::string(line), {file, number, 1}});
  }
  return lines;
}

std::vector<Field> fields_of(const Field& line, std::string& error) {
  std::vector<Field> fields;
  for (auto& field : csv_fields(line.text)) {
    if (!field.closed)
      error = fmt::format("the quote at column {} of line {} is never closed", field.column, line.position.line);
    if (field.more)
      error = fmt::format("text follows the closing quote of column {} of line {}", field.column, line.position.line);
    fields.push_back({field.quoted ? std::move(field.text) : std::string(trimmed(field.text)),
                      {line.position.file, line.position.line, field.column}});
  }
  return fields;
}

Node value_of(const Field& field) {
  std::vector<Problem> not_json;
  auto value = parse_json(field.text, field.position.file, not_json);
  auto node = value ? std::move(*value) : Node::of(field.text);
  node.position = field.position;
  return node;
}

std::size_t column_of(const std::vector<Field>& header, const AxisFileForm& form, std::string& error) {
  std::vector<std::string> names;
  for (const auto& field : header) names.push_back(field.text);
  const auto place = [&](const std::string& name) { return std::ranges::find(names, name) - names.begin(); };
  if (!form.column.empty()) {
    const auto at = static_cast<std::size_t>(place(form.column));
    if (at == names.size())
      error = fmt::format("it has no column \"{}\"{}", form.column, did_you_mean(form.column, names));
    return at;
  }
  const auto last = form.path.substr(form.path.rfind('.') + 1);
  for (const auto& name : {form.path, last})
    if (const auto at = static_cast<std::size_t>(place(name)); at < names.size()) return at;
  if (names.size() > 1)
    error = fmt::format("it has neither a column \"{}\" nor \"{}\": name a column with \"column\". Allowed: {}",
                        form.path, last, joined(names));
  return 0;
}

} // namespace

std::vector<Node> axis_values(std::string_view content, const AxisFileForm& form, int file, std::string& error) {
  std::vector<Node> values;
  if (const auto bad = not_utf8(content); bad != std::string_view::npos) {
    error = fmt::format("line {} is invalid UTF-8: byte 0x{:02X}", std::ranges::count(content.substr(0, bad), '\n') + 1,
                        static_cast<unsigned char>(content[bad]));
    return values;
  }
  const auto lines = lines_of(content, file, !form.csv);
  if (!form.csv) {
    for (const auto& line : lines) values.push_back(value_of(line));
  } else if (!lines.empty()) {
    const auto header = fields_of(lines.front(), error);
    const auto column = error.empty() ? column_of(header, form, error) : 0;
    for (std::size_t i = 1; i < lines.size() && error.empty(); ++i) {
      const auto fields = fields_of(lines[i], error);
      if (!error.empty()) break;
      if (column >= fields.size())
        error = fmt::format("line {} has {} fields, too few for column {}", lines[i].position.line, fields.size(),
                            column + 1);
      else
        values.push_back(value_of(fields[column]));
    }
  }
  if (values.empty() && error.empty()) error = "it holds no values";
  return values;
}

} // namespace gradflight
