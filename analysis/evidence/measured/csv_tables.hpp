// Tables of times as CSV, separated by commas, semicolons or tabs; the latter two also with decimal commas.
#pragma once

#include "analysis/evidence/measured/log_reader.hpp"

namespace gradflight::measured {

void read_csv(std::string_view text, const std::string& path, const AboutLog& about, TableCollector& tables);

} // namespace gradflight::measured
