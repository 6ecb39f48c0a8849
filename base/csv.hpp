// Comma-separated values, written and read line by line (RFC 4180, without line breaks inside a field).
//
// Error messages need the column of a value. The CSV libraries that Debian packages do not report it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct CsvField {
  std::string text;    ///< without the enclosing quotes
  int column = 1;      ///< column of the first character, quote included; counts UTF-8 characters from 1
  bool quoted = false; ///< blanks around the quotes are not part of the text
  bool closed = true;  ///< false: a quote is never closed, and the field extends to the end of the line
  bool more = false;   ///< the closing quote is followed by text other than blanks
};

/// Returns the text without spaces and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// Returns at least one field, which may be empty. Ignores text between a closing quote and the next comma (see
/// `more`).
std::vector<CsvField> csv_fields(std::string_view line);

/// Returns the column of byte `at` of a line, counted like CsvField::column.
int csv_column(std::string_view line, std::size_t at);

/// Quotes fields that need it. The line ends with a newline.
std::string csv_line(const std::vector<std::string>& fields);

/// Returns the lines without their ends ("\n", "\r\n" or "\r\r\n"), and without the byte order mark that spreadsheets
/// write.
std::vector<std::string_view> text_lines(std::string_view text);

} // namespace gradflight
