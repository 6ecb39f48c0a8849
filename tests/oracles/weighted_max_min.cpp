#include "tests/oracles/weighted_max_min.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace gradflight {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Resources with levels that differ only by rounding fill up together.
constexpr double same_level = 1e-12;

void check(std::span<const double> capacities, std::span<const WeightedFlow> flows) {
  for (const double capacity : capacities)
    if (!(capacity >= 0)) throw std::invalid_argument("weighted_max_min: a capacity is negative or NaN");
  for (const WeightedFlow& flow : flows) {
    if (!(flow.share > 0) || std::isinf(flow.share))
      throw std::invalid_argument("weighted_max_min: a share is not positive and finite");
    for (const ResourceUse& use : flow.uses) {
      if (use.resource >= capacities.size()) throw std::invalid_argument("weighted_max_min: no such resource");
      if (!(use.weight >= 0) || std::isinf(use.weight))
        throw std::invalid_argument("weighted_max_min: a weight is negative or not finite");
    }
  }
}

} // namespace

std::vector<double> weighted_max_min(std::span<const double> capacities, std::span<const WeightedFlow> flows) {
  check(capacities, flows);
  std::vector<double> rates(flows.size(), infinity);
  std::vector<double> used(capacities.size()), demand(capacities.size());
  std::vector<bool> growing(flows.size(), true);
  while (true) {
    std::fill(demand.begin(), demand.end(), 0.0);
    for (std::size_t f = 0; f < flows.size(); ++f)
      if (growing[f])
        for (const ResourceUse& use : flows[f].uses) demand[use.resource] += use.weight * flows[f].share;

    const auto level_of = [&](std::size_t i) {
      return demand[i] > 0 ? std::max(0.0, capacities[i] - used[i]) / demand[i] : infinity;
    };
    double level = infinity;
    for (std::size_t i = 0; i < capacities.size(); ++i) level = std::min(level, level_of(i));
    if (std::isinf(level)) return rates; // the remaining flows have no limit

    std::vector<bool> full(capacities.size());
    for (std::size_t i = 0; i < capacities.size(); ++i) full[i] = level_of(i) <= level * (1 + same_level);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      const auto bound = [&](const ResourceUse& use) { return use.weight > 0 && full[use.resource]; };
      if (!growing[f] || std::none_of(flows[f].uses.begin(), flows[f].uses.end(), bound)) continue;
      growing[f] = false;
      rates[f] = level * flows[f].share;
      for (const ResourceUse& use : flows[f].uses) used[use.resource] += use.weight * rates[f];
    }
  }
}

} // namespace gradflight
