#include "analysis/evidence/measured/csv_columns.hpp"

#include "analysis/evidence/measured/csv_headers.hpp"
#include "base/csv.hpp"
#include "models/units/benchmark_size.hpp"
#include "models/units/unit_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gradflight::measured {

namespace {

/// Columns of which values separate rows, although they do not distinguish tables.
constexpr std::array<std::string_view, 2> row_columns = {"unit", "inplace"};

template <std::size_t n> bool contains(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

struct Row {
  std::string table, size; ///< `table`: all values that distinguish it
  std::vector<std::string> values;
};

bool names_setting(const std::vector<Row>& rows, std::size_t column) {
  return std::ranges::any_of(rows, [&](const Row& row) {
    return !setting_in(row.values[column], "NCCL_ALGO").empty() ||
           !setting_in(row.values[column], "NCCL_PROTO").empty();
  });
}

void join_tables(std::vector<Row>& rows, std::size_t column) {
  for (Row& row : rows) row.table += '\n' + row.values[column];
}

/// Whether two rows with the same table, and the same size if `by_size`, have different values.
bool separates(const std::vector<Row>& rows, std::size_t column, bool by_size) {
  std::map<std::pair<std::string_view, std::string_view>, std::string_view> first;
  return std::ranges::any_of(rows, [&](const Row& row) {
    const std::string_view size = by_size ? std::string_view(row.size) : std::string_view();
    const auto [found, added] = first.try_emplace({row.table, size}, row.values[column]);
    return !added && found->second != row.values[column];
  });
}

std::size_t distinct_values(const std::vector<Row>& rows, std::size_t column) {
  std::set<std::string_view> values;
  for (const Row& row : rows) values.insert(row.values[column]);
  return values.size();
}

/// Whether the column seems to be measured: it has decimals, and most rows have a value of their own.
bool seems_measured(const std::vector<Row>& rows, std::size_t column) {
  bool decimals = false;
  for (const Row& row : rows) {
    const std::string& value = row.values[column];
    if (value.find_first_not_of("0123456789+-.,eE% ") != std::string::npos) return false;
    decimals = decimals || value.find_first_of(".,") != std::string::npos;
  }
  const bool sizes = std::ranges::any_of(rows, [&](const Row& row) { return row.size != rows.front().size; });
  return decimals && sizes && 2 * distinct_values(rows, column) > rows.size();
}

std::vector<Row> rows_of(const CsvRows& csv, std::size_t size_column) {
  std::vector<Row> rows;
  for (const auto& [line, fields] : csv.rows) {
    if (fields.size() != csv.names.size()) continue;
    Row row{{}, fields[size_column].text, {}};
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (is_setup_column(csv.names[i]) || contains(row_columns, csv.names[i])) row.table += '\n' + fields[i].text;
      row.values.push_back(fields[i].text);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace

std::vector<bool> distinguishing_columns(const CsvRows& csv) {
  std::vector<bool> distinguishes(csv.names.size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < csv.names.size(); ++i) {
    distinguishes[i] = is_setup_column(csv.names[i]);
    if (!distinguishes[i] && !is_measured_column(csv.names[i])) open.push_back(i);
  }
  const auto size = std::ranges::find(csv.names, "size_bytes");
  if (open.empty() || size == csv.names.end()) return distinguishes;
  std::vector<Row> rows = rows_of(csv, static_cast<std::size_t>(size - csv.names.begin()));
  const auto settle = [&](std::size_t column) {
    distinguishes[column] = true;
    join_tables(rows, column);
    std::erase(open, column);
  };
  for (const std::size_t column : std::vector(open))
    if (names_setting(rows, column)) settle(column);
  // A setup has fewer values than what was measured with it, so it comes first.
  for (;;) {
    std::optional<std::size_t> next;
    for (const std::size_t column : open)
      if (separates(rows, column, true) && !seems_measured(rows, column) &&
          (!next || distinct_values(rows, column) < distinct_values(rows, *next)))
        next = column;
    if (!next) break;
    settle(*next);
  }
  // A column with one value in each table describes the table.
  for (const std::size_t column : open) distinguishes[column] = !separates(rows, column, false);
  return distinguishes;
}

DecimalMarks decimal_marks(const CsvRows& csv) {
  std::vector<std::pair<std::size_t, bool>> numbers; // index of a column, and whether its numbers are whole
  for (std::size_t i = 0; i < csv.names.size(); ++i)
    if (is_measured_column(csv.names[i]) && csv.names[i] != repeat_column)
      numbers.emplace_back(i, csv.names[i] == "size_bytes" || csv.names[i] == "count");
  DecimalMarks shown;
  for (const SheetRow& row : csv.rows)
    for (const auto& [column, whole] : numbers) {
      if (column >= row.fields.size()) continue;
      const std::string_view text = trimmed(row.fields[column].text);
      whole ? shown.add_whole(text) : shown.add(text);
    }
  return shown;
}

std::optional<double> bytes_in(std::string_view text, DecimalMark mark) {
  if (text.ends_with('B')) {
    const std::string_view number = trimmed(text.substr(0, text.size() - 1));
    if (!number.empty() && is_digit(number.back())) text = number;
  }
  const std::string plain = plain_number(text, mark);
  const std::string sized = with_byte_unit(plain);
  if (!sized.ends_with("iB")) return number_of(plain);
  try {
    return parse_quantity(sized, Dimension::bytes);
  } catch (const UnitError&) {
    return std::nullopt;
  }
}

} // namespace gradflight::measured
