#include "models/forms/form_topk.hpp"

#include "models/forms/form_collectives.hpp"

namespace gradflight {

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
