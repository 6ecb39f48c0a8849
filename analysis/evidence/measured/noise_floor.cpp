#include "analysis/evidence/measured/noise_floor.hpp"

#include "base/percentile.hpp"

#include <cmath>

namespace gradflight {

std::optional<NoiseFloor> noise_floor(const std::vector<MeasuredTable>& tables, double least, double most) {
  std::vector<double> apart;
  for (const MeasuredTable& table : tables)
    for (const MeasuredRow& row : table.rows)
      if (row.inplace_time_us && row.size_bytes >= least && row.size_bytes < most)
        apart.push_back(std::abs(row.time_us / *row.inplace_time_us - 1));
  if (apart.empty()) return std::nullopt;
  return NoiseFloor{static_cast<int>(apart.size()), percentile(apart, 0.5), percentile(apart, 0.9)};
}

} // namespace gradflight
