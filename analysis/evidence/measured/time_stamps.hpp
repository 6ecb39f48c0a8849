// Time stamps at the starts of lines: those of syslog, ISO 8601, `date`, Open MPI, CI systems, spreadsheets, and
// seconds since a start.
#pragma once

#include <string_view>

namespace gradflight::measured {

/// Takes a time stamp and the brackets around it off the line's start; without one the line stays as it is.
void take_stamp(std::string_view& line);

} // namespace gradflight::measured
