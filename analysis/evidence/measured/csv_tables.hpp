// Tables of times as CSV, apart by commas, semicolons or tabs; with decimal commas where it is not commas.
#pragma once

#include "analysis/evidence/measured/log_reader.hpp"

namespace gradflight::measured {

/// What stands most often between the fields of a header.
char csv_separator(std::string_view header);
/// Whether this is the header of a table of an operation over sizes.
bool is_csv_header(std::string_view line);
void read_csv(std::string_view text, const std::string& path, const AboutLog& about, TableCollector& tables);

} // namespace gradflight::measured
