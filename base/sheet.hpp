// Sheets: a CSV text as a header and rows, and lists of one value per line. Every reader of such files shares these
// rules.
//
// Blank lines and lines that begin with # are ignored. Blanks around an unquoted field are not part of it. A text must
// be valid UTF-8.
#pragma once

#include "base/csv.hpp"

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// `line` and `column` count from 1; columns count characters.
struct SheetMistake {
  int line = 1, column = 1;
  std::string message;
  friend auto operator<=>(const SheetMistake&, const SheetMistake&) = default;
};

struct SheetRow {
  int line = 0;
  std::vector<CsvField> fields;
};

struct Sheet {
  SheetRow header;                    ///< names of the columns; without fields if the header cannot be read
  std::vector<SheetRow> rows;         ///< rows without a mistake: they have as many fields as the header
  std::vector<SheetMistake> mistakes; ///< in the order of their lines and columns

  [[nodiscard]] std::vector<std::string> names() const; ///< of the columns
  /// Returns the index of the column; the number of columns if no column has this name.
  [[nodiscard]] std::size_t index_of(std::string_view name) const;
};

/// Reads a CSV text, of which the first line with content is the header. Reports every mistake: invalid UTF-8, an
/// unclosed quote, text after a closing quote, a missing header, another separator than commas, a name that appears
/// twice, and a row that has not as many fields as the header. If the header cannot be read, the sheet has no rows.
Sheet read_sheet(std::string_view text);

/// Reads one value per line: each row has one field, the whole line, and the header is empty. The only mistake is
/// invalid UTF-8.
Sheet read_list(std::string_view text);

} // namespace gradflight
