// Numbers for people: a suitable unit and six significant digits. For screens only; files contain plain seconds and
// bytes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gradflight {

std::string human_seconds(double seconds);  ///< "150.14 ms", "12.5 us", "0 s"
std::string signed_seconds(double seconds); ///< "+2 ms", "-2 ms", "+0 s"
std::string human_span(double seconds);     ///< long durations: "6.5 h", "54 days"; shorter ones like human_seconds()
std::string human_bytes(double bytes);      ///< decimal: "100 MB", "4 B"
std::string human_rate(double bytes_per_second);      ///< in the units of networks: "10 Gbps" (10^9 bit/s)
std::string human_byte_rate(double bytes_per_second); ///< in the units of memories: "10 GB/s"
std::string human_count(double count);                ///< exact below a million, then "80.1 M"
std::string human_percent(double fraction);           ///< "93.2 %", "<0.1 %", "0 %"
std::string human_error(double relative);             ///< signed: "+1.2 %" if at least 0.1 %, else "-3.1e-16"

/// Returns the nearest number with so many significant digits.
double rounded_to(double value, int digits);

/// "1 message", "2 messages".
std::string counted(std::int64_t n, const std::string& noun);
/// "3 scenarios: 2 ok, 1 moved": the total of `what`, then each count that is not zero.
std::string tallied(const std::string& what, const std::vector<std::pair<std::string, std::size_t>>& counts);

} // namespace gradflight
