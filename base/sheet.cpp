#include "base/sheet.hpp"

#include "base/utf.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace gradflight {
namespace {

/// Returns the lines that are neither blank nor comments; a line with a mistake has no fields.
std::vector<SheetRow> rows_of(std::string_view text, std::vector<CsvField> (*split)(std::string_view),
                              std::vector<SheetMistake>& mistakes) {
  std::vector<SheetRow> rows;
  int number = 0;
  for (const std::string_view line : text_lines(text)) {
    ++number;
    if (trimmed(line).empty() || trimmed(line).starts_with('#')) continue;
    SheetRow& row = rows.emplace_back(SheetRow{number, split(line)});
    const std::size_t before = mistakes.size();
    for (CsvField& field : row.fields) {
      if (!field.closed) mistakes.push_back({number, field.column, "this quote is never closed"});
      if (field.more)
        mistakes.push_back({number, field.column, "text follows this field's closing quote; put all of it in quotes"});
      if (field.quoted) continue;
      field.column += static_cast<int>(std::min(field.text.find_first_not_of(" \t"), field.text.size()));
      field.text = std::string(trimmed(field.text));
    }
    if (const std::size_t bad = not_utf8(line); bad != std::string_view::npos)
      mistakes.push_back(
          {number, csv_column(line, bad),
           fmt::format("invalid UTF-8: byte 0x{:02X}; save the file as UTF-8", static_cast<unsigned char>(line[bad]))});
    if (mistakes.size() > before) row.fields.clear();
  }
  return rows;
}

/// Returns what separates the columns of a header without commas: "semicolons", "tabs" or "bars"; empty: nothing does.
std::string_view other_separator(std::string_view header) {
  const std::vector<CsvField> fields = csv_fields(header);
  if (fields.size() > 1 || (fields.front().quoted && !fields.front().more)) return {};
  if (header.find(';') != std::string_view::npos) return "semicolons";
  if (header.find('\t') != std::string_view::npos) return "tabs";
  return header.find('|') != std::string_view::npos ? "bars" : "";
}

} // namespace

std::vector<std::string> Sheet::names() const {
  std::vector<std::string> names;
  for (const CsvField& field : header.fields) names.push_back(field.text);
  return names;
}

std::size_t Sheet::index_of(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(header.fields, name, &CsvField::text) - header.fields.begin());
}

Sheet read_sheet(std::string_view text) {
  Sheet sheet;
  std::vector<SheetRow> lines = rows_of(text, csv_fields, sheet.mistakes);
  if (lines.empty()) return {{}, {}, {{1, 1, "the file has no header line with the column names"}}};
  const int line = lines.front().line;
  const std::string_view header = text_lines(text)[static_cast<std::size_t>(line) - 1];
  if (const std::string_view separator = other_separator(trimmed(header)); !separator.empty())
    return {{line, {}}, {}, {{line, 1, fmt::format("{} separate the columns; expected commas", separator)}}};
  sheet.header = std::move(lines.front());
  const std::size_t columns = sheet.header.fields.size();
  for (std::size_t c = 0; c < columns; ++c)
    if (const CsvField& field = sheet.header.fields[c]; !field.text.empty() && sheet.index_of(field.text) < c)
      sheet.mistakes.push_back({line, field.column, fmt::format("column \"{}\" appears twice", field.text)});
  for (SheetRow& row : std::span(lines).subspan(1))
    if (row.fields.size() == columns && columns > 0)
      sheet.rows.push_back(std::move(row));
    else if (!row.fields.empty() && columns > 0)
      sheet.mistakes.push_back(
          {row.line, 1,
           fmt::format("this row has {} fields, but the header has {} columns", row.fields.size(), columns)});
  std::ranges::sort(sheet.mistakes);
  return sheet;
}

Sheet read_list(std::string_view text) {
  Sheet list;
  const auto whole_line = [](std::string_view line) { return std::vector{CsvField{std::string(line)}}; };
  list.rows = rows_of(text, whole_line, list.mistakes);
  std::erase_if(list.rows, [](const SheetRow& row) { return row.fields.empty(); });
  return list;
}

} // namespace gradflight
