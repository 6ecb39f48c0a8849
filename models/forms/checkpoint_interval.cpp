#include "models/forms/checkpoint_interval.hpp"

#include <cmath>

namespace gradflight {

double young_interval(double write, double mtbf) { return std::sqrt(2 * write * mtbf); }

double daly_interval(double write, double mtbf) {
  if (write >= 2 * mtbf) return mtbf;
  const double share = write / (2 * mtbf);
  return young_interval(write, mtbf) * (1 + std::sqrt(share) / 3 + share / 9) - write;
}

double daly_time(double work, double interval, double write, double restart, double mtbf) {
  return mtbf * std::exp(restart / mtbf) * std::expm1((interval + write) / mtbf) * work / interval;
}

} // namespace gradflight
