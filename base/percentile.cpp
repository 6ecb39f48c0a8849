#include "base/percentile.hpp"

#include <algorithm>

namespace gradflight {

double percentile(std::vector<double> values, double fraction) {
  std::ranges::sort(values);
  const double place = static_cast<double>(values.size() - 1) * fraction;
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

} // namespace gradflight
