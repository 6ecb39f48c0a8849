#include "analysis/evidence/error_statistics.hpp"

#include "base/percentile.hpp"

#include <algorithm>

namespace gradflight {

ErrorStatistics statistics_of(const std::vector<double>& absolute_errors) {
  ErrorStatistics statistics;
  statistics.count = absolute_errors.size();
  if (absolute_errors.empty()) return statistics;
  statistics.median = percentile(absolute_errors, 0.5);
  statistics.p80 = percentile(absolute_errors, 0.8);
  statistics.p90 = percentile(absolute_errors, 0.9);
  const auto share = [&](double limit) {
    return static_cast<double>(std::ranges::count_if(absolute_errors, [&](double e) { return e <= limit; })) /
           static_cast<double>(statistics.count);
  };
  statistics.within_20 = share(0.2);
  statistics.within_30 = share(0.3);
  return statistics;
}

} // namespace gradflight
