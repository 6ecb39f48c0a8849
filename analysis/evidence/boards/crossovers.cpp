#include "analysis/evidence/boards/crossovers.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight {

namespace {

constexpr double falls = 0.95;

} // namespace

double Crossover::bytes() const { return std::sqrt(from_bytes * to_bytes); }

Crossovers crossovers_of(const BoardTable& table) {
  Crossovers found;
  for (std::size_t i = 1; i < table.cases.size(); ++i) {
    const BoardCase &last = table.cases[i - 1], &next = table.cases[i];
    if (last.simulated && next.simulated && last.chosen() != next.chosen())
      found.simulated.push_back({last.size_bytes, next.size_bytes, last.chosen(), next.chosen()});
    if (i > 1 && next.most < last.least && next.measured <= falls * last.measured)
      found.measured.push_back({last.size_bytes, next.size_bytes, {}, {}, next.measured / last.measured});
  }
  for (Crossover& measured : found.measured)
    for (const Crossover& simulated : found.simulated) {
      const double ratio = std::exp(std::abs(std::log(simulated.bytes() / measured.bytes())));
      measured.off_by = std::min(measured.off_by.value_or(ratio), ratio);
    }
  return found;
}

} // namespace gradflight
