#include "tests/oracles/form_textbook.hpp"

#include "models/forms/form_collectives.hpp"

namespace gradflight {
namespace {

/// (p-1)/p n: the bytes of all blocks except one.
double others(int p, double n) { return n * (p - 1) / p; }

} // namespace

CollectiveCost allgather_ring(int p, double n, const LinkParameters& link) {
  return cost_of(link, p - 1, others(p, n), 0);
}

CollectiveCost allgather_recursive_doubling(int p, double n, const LinkParameters& link) {
  return cost_of(link, ceil_lg(p), others(p, n), 0);
}

CollectiveCost allgather_bruck(int p, double n, const LinkParameters& link) {
  return cost_of(link, ceil_lg(p), others(p, n), 0);
}

CollectiveCost broadcast_van_de_geijn_ring(int p, double n, const LinkParameters& link) {
  return cost_of(link, ceil_lg(p) + p - 1, 2 * others(p, n), 0);
}

CollectiveCost broadcast_van_de_geijn_doubling(int p, double n, const LinkParameters& link) {
  return cost_of(link, 2 * ceil_lg(p), 2 * others(p, n), 0);
}

CollectiveCost reduce_scatter_halving(int p, double n, const LinkParameters& link) {
  return cost_of(link, ceil_lg(p), others(p, n), others(p, n));
}

CollectiveCost reduce_scatter_doubling(int p, double n, const LinkParameters& link) {
  const double bytes = n * ceil_lg(p) - others(p, n);
  return cost_of(link, ceil_lg(p), bytes, bytes);
}

CollectiveCost reduce_scatter_pairwise(int p, double n, const LinkParameters& link) {
  return cost_of(link, p - 1, others(p, n), others(p, n));
}

CollectiveCost reduce_rabenseifner(int p, double n, const LinkParameters& link) {
  return cost_of(link, 2 * ceil_lg(p), 2 * others(p, n), others(p, n));
}

CollectiveCost allreduce_ring(int p, double n, const LinkParameters& link) {
  return allreduce_ring_blocks(p, n / p, link);
}

CollectiveCost alltoall_pairwise(int p, double n, const LinkParameters& link) {
  return p <= 1 ? CollectiveCost{} : cost_of(link, p - 1, n, 0);
}

} // namespace gradflight
