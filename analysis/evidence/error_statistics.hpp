// Statistics of relative errors: of published figures, and of measured times.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace gradflight {

/// Statistics of absolute relative errors, as fractions.
struct ErrorStatistics {
  std::size_t count = 0;
  std::optional<double> median{}, p80{}, p90{}; ///< absent: no errors
  double within_20 = 0, within_30 = 0;          ///< shares of errors up to 20 % and 30 %; 0 without errors
};

ErrorStatistics statistics_of(const std::vector<double>& absolute_errors);

} // namespace gradflight
