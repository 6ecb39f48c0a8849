// Time stamps in lines: those of syslog, ISO 8601, `date`, Open MPI, CI systems, spreadsheets, and
// seconds since a start.
#pragma once

#include <string_view>

namespace gradflight::measured {

/// Takes a time stamp and the brackets around it off the line's start; without one the line stays as it is.
void take_stamp(std::string_view& line);

/// Whether the word begins with a date in numbers, such as "2026-04-19T03:04:31Z", or with a time of day.
bool is_date_or_clock(std::string_view word);

} // namespace gradflight::measured
