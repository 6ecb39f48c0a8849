#include "models/nccl/primitive_costs.hpp"

#include "models/nccl/tuning_tables.hpp"

#include <algorithm>

namespace gradflight::nccl {

double channel_beside_hopper(Generation generation) {
  const auto row = [](Generation each) {
    return static_cast<std::size_t>(std::max(0, static_cast<int>(each) - 1)); // Volta, Ampere, Hopper, Blackwell
  };
  return tables::most_tree[row(generation)][0] / tables::most_tree[row(Generation::hopper)][0];
}

ByPrimitive primitive_rates(Generation generation) {
  ByPrimitive rates = copied_on_hopper;
  for (double& rate : rates) rate *= channel_beside_hopper(generation);
  return rates;
}

} // namespace gradflight::nccl
