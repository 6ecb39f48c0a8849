#include "scenarios/language/decode/csv_objects.hpp"

#include "base/nearest_name.hpp"
#include "base/sheet.hpp"
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

/// Returns the key of each column; null if the table lacks the key, which is a problem, or if it is repeated.
std::vector<const FieldInfo*> keys_in(const SheetRow& header, int file, const TableInfo& table,
                                      const std::string& pointer, std::vector<Problem>& problems) {
  std::vector<const FieldInfo*> keys;
  for (const CsvField& field : header.fields) {
    const FieldInfo* key = field_of(table, field.text);
    if (key == nullptr)
      problems.push_back(
          {{file, header.line, field.column},
           pointer,
           fmt::format("unknown column \"{}\"{}", field.text, did_you_mean(field.text, keys_of(table)))});
    const bool repeated = std::ranges::find(keys, key) != keys.end();
    keys.push_back(repeated ? nullptr : key);
  }
  return keys;
}

Node object_of(const SheetRow& row, int file, const std::vector<const FieldInfo*>& keys) {
  Node object = Node::object();
  object.position = {file, row.line, 1};
  for (std::size_t c = 0; c < keys.size(); ++c) {
    const CsvField& field = row.fields[c];
    const Position at{file, row.line, field.column};
    if (!field.text.empty() || field.quoted)
      object.members.push_back({keys[c]->key, at, cell(field, keys[c]->shape, at)});
  }
  return object;
}

} // namespace

std::optional<Node> csv_objects(std::string_view text, int file, const TableInfo& table, const std::string& pointer,
                                std::vector<Problem>& problems) {
  const Sheet sheet = read_sheet(text);
  for (const SheetMistake& mistake : sheet.mistakes)
    problems.push_back({{file, mistake.line, mistake.column}, pointer, mistake.message});
  const auto keys = keys_in(sheet.header, file, table, pointer, problems);
  if (keys.empty() || std::ranges::find(keys, nullptr) != keys.end()) return std::nullopt;
  Node all = Node::list({});
  all.position = {file, 1, 1};
  for (const SheetRow& row : sheet.rows) all.items.push_back(object_of(row, file, keys));
  return all;
}

} // namespace gradflight
