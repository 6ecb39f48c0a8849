// Statistics of relative errors, of published figures and of measured times, and how scoreboards print them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Statistics of absolute relative errors, as fractions.
struct ErrorStatistics {
  std::size_t count = 0;
  std::optional<double> median{}, p80{}, p90{}; ///< absent: no errors
  double within_20 = 0, within_30 = 0;          ///< shares of errors up to 20 % and 30 %; 0 without errors
};

ErrorStatistics statistics_of(const std::vector<double>& absolute_errors);

/// Returns "4.4 %"; "-" without a value.
std::string percent_text(const std::optional<double>& fraction);
/// Returns "+4.4 %"; "-" without a value.
std::string signed_percent_text(const std::optional<double>& fraction);
/// Returns "median |error| 4.4 %, 90th percentile 12.1 %".
std::string errors_text(double median, double p90);
/// Returns the cells of a table: the count, the median, the 80th and 90th percentile, and the shares within 20 and 30
/// %.
std::vector<std::string> statistics_cells(const ErrorStatistics& errors);

} // namespace gradflight
