#include "models/forms/form_topk.hpp"

#include "models/forms/form_collectives.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight {

std::int64_t topk_entries(double density, std::int64_t elements) {
  const auto entries = static_cast<std::int64_t>(std::floor(density * static_cast<double>(elements)));
  return std::clamp<std::int64_t>(entries, 1, elements);
}
double topk_list_bytes(std::int64_t entries) { return 8.0 * static_cast<double>(entries); }

CollectiveCost dense_allreduce_as_printed(int p, double m, const LinkParameters& link) {
  return allreduce_ring(p, m, {link.alpha, link.beta, 0});
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

double scaling_efficiency(double forward, double backward, double communication) {
  const double compute = forward + backward;
  return compute + communication > 0 ? compute / (compute + communication) : 1;
}

} // namespace gradflight
