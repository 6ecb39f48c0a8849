#include "analysis/evidence/error_statistics.hpp"

#include "base/human.hpp"
#include "base/percentile.hpp"

#include <algorithm>
#include <fmt/format.h>

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

std::string percent_text(const std::optional<double>& fraction) { return fraction ? human_percent(*fraction) : "-"; }

std::string signed_percent_text(const std::optional<double>& fraction) {
  return fraction ? fmt::format("{:+.1f} %", 100 * *fraction) : "-";
}

std::string errors_text(double median, double p90) {
  return fmt::format("median |error| {}, 90th percentile {}", human_percent(median), human_percent(p90));
}

std::vector<std::string> statistics_cells(const ErrorStatistics& errors) {
  const auto share = [&](double part) { return errors.count > 0 ? human_percent(part) : "-"; };
  return {std::to_string(errors.count), percent_text(errors.median), percent_text(errors.p80),
          percent_text(errors.p90),     share(errors.within_20),     share(errors.within_30)};
}

} // namespace gradflight
