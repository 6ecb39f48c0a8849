#include "tests/oracles/form_hierarchical.hpp"

#include "models/forms/form_collectives.hpp"
#include "tests/oracles/form_textbook.hpp"

namespace gradflight {

CollectiveCost gather_at_once(int members, double n, const LinkParameters& link) {
  return members <= 1 ? CollectiveCost{} : cost_of(link, 1, n * (members - 1) / members, 0);
}
CollectiveCost gather_in_turn(int members, double n, const LinkParameters& link) {
  return cost_of(link, members - 1, n * (members - 1) / members, 0);
}

CollectiveCost group_reduce_ring(int members, double n, const LinkParameters& link) {
  return reduce_scatter_pairwise(members, n, link) + gather_at_once(members, n, link);
}
CollectiveCost group_reduce_ring_in_turn(int members, double n, const LinkParameters& link) {
  return reduce_scatter_pairwise(members, n, link) + gather_in_turn(members, n, link);
}
CollectiveCost group_reduce_chain(int members, double n, const LinkParameters& link) {
  return cost_of(link, members - 1, (members - 1) * n, (members - 1) * n);
}
CollectiveCost group_reduce_chain_sliced(int members, int slices, double n, const LinkParameters& link) {
  return group_broadcast_chain_sliced(members, slices, n, link);
}
CollectiveCost group_reduce_flat(int members, bool dedicated, double n, const LinkParameters& link) {
  return group_broadcast_flat(members, dedicated, n, link) + cost_of(link, 0, 0, (members - 1) * n);
}

CollectiveCost group_broadcast_flat(int members, bool dedicated, double n, const LinkParameters& link) {
  const int copies = dedicated ? members : members - 1;
  return copies == 0 ? CollectiveCost{} : cost_of(link, 1, copies * n, 0);
}
CollectiveCost group_broadcast_ring(int members, double n, const LinkParameters& link) {
  return gather_at_once(members, n, link) + allgather_ring(members, n, link);
}
CollectiveCost group_broadcast_chain_sliced(int members, int slices, double n, const LinkParameters& link) {
  if (members <= 1) return {};
  const double steps = members + slices - 2;
  return cost_of(link, steps, steps * n / slices, 0);
}

CollectiveCost hierarchical_allreduce(int groups, int members, double n, const LinkParameters& inner,
                                      const LinkParameters& outer) {
  return group_reduce_ring(members, n, inner) + allreduce_ring(groups, n, outer) +
         broadcast_binomial(members, n, inner);
}

} // namespace gradflight
