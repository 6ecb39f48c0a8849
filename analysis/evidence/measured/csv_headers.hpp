// What the first lines of a CSV file say: where its table begins, what separates its fields, what its columns are.
#pragma once

#include "base/csv.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight::measured {

/// Blank lines, comments, a page's fences and a spreadsheet's "sep=;", which may stand around a table.
bool is_beside_csv(std::string_view line);

/// The name of all columns that number or time repetitions.
inline constexpr std::string_view repeat_column = "repeat";

/// What stands most often between the fields of a header: a comma, a semicolon or a tab.
char csv_separator(std::string_view header);

/// Fields of a line whose separator is `separator`; CSV's rules for quotes.
std::vector<CsvField> fields_of(std::string_view line, char separator);

/// Our name of a column that a benchmark or a person may have named otherwise; else the name as it is.
std::string column_name(std::string_view text);

/// Microseconds of a unit of time, "us", "µs", "msec", "s"; nothing: it is none.
std::optional<double> microseconds_of(std::string_view unit);

/// The same of the unit that the title of a column of times names: "time_ms", "Time (us)"; nothing: it names none.
std::optional<double> microseconds_in(std::string_view title);

/// Whether a column, by our name, is measured or the same for all of an operation. All others tell tables apart.
bool is_measured_column(std::string_view name);

/// Whether this is the header of a table of an operation over sizes.
bool is_csv_header(std::string_view line);

/// Whether such a header is among the first lines of a file, before any table of a log.
bool has_csv_header(std::string_view begin);

} // namespace gradflight::measured
