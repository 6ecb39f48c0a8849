// Analyses the first lines of a CSV file: the beginning of its table, the separator of its fields, and its columns.
#pragma once

#include "base/csv.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight::measured {

/// Whether a line may surround a table: a blank line, a comment, the fence of a code block, or a spreadsheet's "sep=;".
bool is_outside_csv(std::string_view line);

/// The name of all columns that number or time repetitions.
inline constexpr std::string_view repeat_column = "repeat";
/// The name of a second column of the same times, in another unit.
inline constexpr std::string_view other_time_column = "time in another unit";

/// Returns the most frequent separator in a header: a comma, a semicolon or a tab.
char csv_separator(std::string_view header);

/// Returns the fields of a line with this separator, using CSV's rules for quotes.
std::vector<CsvField> fields_of(std::string_view line, char separator);

/// Returns our name of a column for the name in a benchmark or by a person; other names stay.
std::string column_name(std::string_view text);

/// Returns the microseconds of a unit of time, "us", "µs", "msec", "s"; nothing for other text.
std::optional<double> microseconds_of(std::string_view unit);

/// Returns the same for the unit in the title of a column: "time_ms", "Time (us)"; nothing without a unit.
std::optional<double> microseconds_in(std::string_view title);

/// Whether a column (by our name) is measured, or equal for all rows of an operation. Other columns distinguish tables.
bool is_measured_column(std::string_view name);

/// Whether a column (by our name) always distinguishes tables.
bool is_setup_column(std::string_view name);

/// Returns why a file with these columns (by our names) is no table of measured times over sizes; empty if it is one.
std::string why_no_measured_table(std::span<const std::string> names);

/// Whether the line is the header of a table of an operation over sizes.
bool is_csv_header(std::string_view line);

/// Returns the line with such a header among the first lines of a file, before any table of a log; 0: it has none. If
/// the only header follows a "#", as numpy.savetxt writes it, that line counts if it has a column size_bytes.
int csv_header_line(std::string_view begin);

/// Returns the line without the "#" of a header.
std::string_view without_hash(std::string_view line);

} // namespace gradflight::measured
