// Analyses the columns of a CSV table by the values in all of its rows.
#pragma once

#include "analysis/evidence/measured/log_reader.hpp"
#include "base/sheet.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight::measured {

/// The columns by our names, and the rows below the header; a row may have too few or too many fields.
struct CsvRows {
  std::span<const std::string> names;
  std::span<const SheetRow> rows;
};

/// Returns for each column whether its values distinguish tables. Columns of the setup, such as the number of ranks,
/// always do. Other columns that are not known do so if they separate two rows of one size. If they do not, as a
/// standard deviation, they belong to their row.
std::vector<bool> distinguishing_columns(const CsvRows& csv);

/// Finds the decimal mark from the numbers of all rows, because one number alone may not show it.
DecimalMarks decimal_marks(const CsvRows& csv);

/// Reads "1048576", "1048576B", "1,048,576", "1M" and "1MiB". "1MB" may mean either 10^6 or 2^20 bytes.
std::optional<double> bytes_in(std::string_view text, DecimalMark mark);

} // namespace gradflight::measured
