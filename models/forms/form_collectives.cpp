#include "models/forms/form_collectives.hpp"

namespace gradflight {
namespace {

/// (p-1)/p n: the bytes of all blocks except one.
double others(int p, double n) { return n * (p - 1) / p; }

} // namespace

CollectiveCost broadcast_binomial(int p, double n, const LinkParameters& link) {
  return cost_of(link, ceil_lg(p), ceil_lg(p) * n, 0);
}

CollectiveCost reduce_binomial(int p, double n, const LinkParameters& link) {
  return cost_of(link, ceil_lg(p), ceil_lg(p) * n, ceil_lg(p) * n);
}
CollectiveCost reduce_binomial_to_aggregator(int p, double n, const LinkParameters& link) {
  const int rounds = ceil_lg(p), reductions = p <= 3 ? rounds - 1 : rounds;
  return cost_of(link, rounds, rounds * n, reductions * n);
}

CollectiveCost allreduce_ring_blocks(int p, double block, const LinkParameters& link) {
  return cost_of(link, 2.0 * (p - 1), 2.0 * (p - 1) * block, (p - 1) * block);
}

CollectiveCost fold_cost(int p, double n, const LinkParameters& link) {
  return is_power_of_two(p) ? CollectiveCost{} : cost_of(link, 2, 2 * n, n);
}
CollectiveCost allreduce_recursive_doubling(int p, double n, const LinkParameters& link) {
  const int rounds = floor_lg(p);
  return cost_of(link, rounds, rounds * n, rounds * n) + fold_cost(p, n, link);
}
CollectiveCost allreduce_halving_doubling(int p, double n, const LinkParameters& link) {
  const int p2 = power_of_two_below(p);
  return cost_of(link, 2 * floor_lg(p), 2 * others(p2, n), others(p2, n)) + fold_cost(p, n, link);
}
CollectiveCost allreduce_binomial_tree(int p, double n, const LinkParameters& link) {
  return reduce_binomial(p, n, link) + broadcast_binomial(p, n, link);
}

CollectiveCost topk_allgather(int p, double list, const LinkParameters& link) {
  return cost_of(link, ceil_lg(p), (p - 1) * list, (p - 1) * list);
}
CollectiveCost topk_allgather_ring(int p, double list, const LinkParameters& link) {
  return cost_of(link, p - 1, (p - 1) * list, (p - 1) * list);
}
CollectiveCost gtopk_allreduce(int p, double list, const LinkParameters& link) {
  return allreduce_binomial_tree(p, list, link);
}

} // namespace gradflight
