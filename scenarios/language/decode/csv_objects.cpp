#include "scenarios/language/decode/csv_objects.hpp"

#include "base/csv.hpp"
#include "base/nearest_name.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

/// Converts a cell to JSON: a number if the key accepts only numbers, else a text.
Node cell(const CsvField& field, const Shape& shape, Position at) {
  Node node = Node::of(field.text);
  const bool number = shape.kind == Shape::Kind::integer || shape.kind == Shape::Kind::number;
  std::vector<Problem> not_a_number; // ignored; decoding reports a text that is not a number
  if (number)
    if (auto value = parse_json(field.text, at.file, not_a_number))
      if (value->kind == Node::Kind::integer || value->kind == Node::Kind::number) node = std::move(*value);
  node.position = at;
  return node;
}

} // namespace

std::optional<Node> csv_objects(std::string_view text, int file, const TableInfo& table, const std::string& pointer,
                                std::vector<Problem>& problems) {
  bool columns_known = true;
  std::vector<const FieldInfo*> columns;
  std::vector<Node> rows;
  int number = 0;
  for (const std::string_view line : text_lines(text)) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<CsvField> fields = csv_fields(line);
    for (CsvField& field : fields)
      if (!field.quoted) field.text = trimmed(field.text);
    const auto at = [&](const CsvField& field) { return Position{file, number, field.column}; };
    // Only the last field can be open, because an open quote extends to the end of the line.
    if (!fields.back().closed) {
      problems.push_back({at(fields.back()), pointer, "this quote is never closed"});
      if (columns.empty()) return std::nullopt;
      continue;
    }
    if (const auto field = std::ranges::find(fields, true, &CsvField::more); field != fields.end()) {
      problems.push_back({at(*field), pointer, "text follows this field's closing quote; put all of it in quotes"});
      if (columns.empty()) return std::nullopt;
      continue;
    }
    if (columns.empty()) {
      if (const std::string_view separator = other_separator(line); !separator.empty()) {
        problems.push_back(
            {{file, number, 1}, pointer, fmt::format("{} separate the columns; expected commas", separator)});
        return std::nullopt;
      }
      for (const CsvField& field : fields) {
        const FieldInfo* key = field_of(table, field.text);
        if (key == nullptr)
          problems.push_back(
              {at(field), pointer,
               fmt::format("unknown column \"{}\"{}", field.text, did_you_mean(field.text, keys_of(table)))});
        else if (std::ranges::find(columns, key) != columns.end())
          problems.push_back({at(field), pointer, fmt::format("column \"{}\" appears twice", field.text)});
        columns_known = columns_known && key != nullptr && std::ranges::find(columns, key) == columns.end();
        columns.push_back(key);
      }
      continue;
    }
    if (fields.size() != columns.size()) {
      problems.push_back(
          {{file, number, 1},
           pointer,
           fmt::format("this row has {} fields, but the header has {} columns", fields.size(), columns.size())});
      continue;
    }
    Node row = Node::object();
    row.position = {file, number, 1};
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (columns[c] == nullptr || (fields[c].text.empty() && !fields[c].quoted)) continue;
      row.members.push_back({columns[c]->key, at(fields[c]), cell(fields[c], columns[c]->shape, at(fields[c]))});
    }
    rows.push_back(std::move(row));
  }
  if (columns.empty()) {
    problems.push_back({{file, 1, 1}, pointer, "the file has no header line with the column names"});
    return std::nullopt;
  }
  if (!columns_known) return std::nullopt;
  Node all = Node::list(std::move(rows));
  all.position = {file, 1, 1};
  return all;
}

} // namespace gradflight
