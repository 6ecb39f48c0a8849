#include "analysis/evidence/boards/typical_spread.hpp"

#include "base/percentile.hpp"

#include <algorithm>

namespace gradflight {

namespace {

double harmonic_number(int p) {
  double sum = 0;
  for (int i = 1; i <= p; ++i) sum += 1.0 / i;
  return sum;
}

/// Returns the cv with which a step would take the measured time.
double case_cv(const BoardTable& table, const BoardCase& one) {
  const double perfect = table.base_step * one.ranks / table.base_ranks; // time of a step times its ratio
  const double missing = perfect / one.measured - perfect / *one.simulated;
  return missing / (table.compute * (harmonic_number(one.ranks) - harmonic_number(table.base_ranks)));
}

} // namespace

std::vector<ComputeSpread> compute_spreads(const std::vector<BoardPack>& packs) {
  std::vector<ComputeSpread> spreads;
  for (const BoardPack& pack : packs) {
    std::vector<double> all;
    for (const BoardTable& table : pack.tables)
      if (has_typical_spread(table))
        for (const BoardCase& one : table.cases) all.push_back(case_cv(table, one));
    if (!all.empty()) spreads.push_back({pack.pack.name.text, std::max(0.0, percentile(std::move(all), 0.5))});
  }
  return spreads;
}

std::optional<TypicalNumber> typical_spread(const std::string& left_out, const std::vector<ComputeSpread>& all) {
  TypicalNumber typical{.shared_property = "training jobs"};
  std::vector<double> others;
  for (const ComputeSpread& other : all) {
    if (other.pack == left_out) continue;
    others.push_back(other.cv);
    typical.from.push_back(other.pack);
  }
  if (others.empty()) return std::nullopt;
  typical.value = percentile(std::move(others), 0.5);
  return typical;
}

} // namespace gradflight
