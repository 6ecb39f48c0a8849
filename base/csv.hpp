// Comma-separated values, written and read a line at a time (RFC 4180, without line breaks inside a field).
//
// Not a library's: what is read is told with the column where it stands, and those that Debian has give none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct CsvField {
  std::string text;    ///< of a quoted field what is between the quotes
  int column = 1;      ///< where it begins, quote included: counts characters of UTF-8 from 1
  bool quoted = false; ///< blanks around the quotes do not count
  bool closed = true;  ///< false: a quote that never ends, which took the rest of the line
  bool more = false;   ///< text other than blanks stands between the closing quote and the comma
};

/// The text without spaces and tabs around it.
std::string_view trimmed(std::string_view text);

/// At least one, maybe empty. What stands behind a closing quote is passed over up to the next comma.
std::vector<CsvField> csv_fields(std::string_view line);

/// Of byte `at` of a line, as CsvField has it.
int csv_column(std::string_view line, std::size_t at);

/// Fields that need it in quotes; ends with a newline.
std::string csv_line(const std::vector<std::string>& fields);

/// Without their ends ("\n" or "\r\n") and without a byte order mark, which spreadsheets begin a file with.
std::vector<std::string_view> text_lines(std::string_view text);

} // namespace gradflight
