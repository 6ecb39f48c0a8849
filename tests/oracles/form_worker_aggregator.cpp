#include "tests/oracles/form_worker_aggregator.hpp"

#include "models/forms/form_collectives.hpp"
#include "tests/oracles/form_textbook.hpp"

#include <cmath>

namespace gradflight {

CollectiveCost server_leg(const ServerShape& shape, double shard, const LinkParameters& link) {
  if (shape.colocated && shape.workers == 1) return {};
  return cost_of(link, 1, busiest_link_bytes(shape, shard), 0);
}

CollectiveCost server_reduction(const ServerShape& shape, double shard, const LinkParameters& link) {
  return cost_of(link, 0, 0, (shape.workers - 1) * shard);
}

CollectiveCost parameter_server_flat(const ServerShape& shape, double n, const LinkParameters& link) {
  const double shard = n / shape.servers;
  return 2 * server_leg(shape, shard, link) + server_reduction(shape, shard, link);
}

CollectiveCost server_pull_binomial(const ServerShape& shape, double n, const LinkParameters& link) {
  return broadcast_binomial(shape.workers + (shape.colocated ? 0 : 1), n, link);
}

CollectiveCost worker_aggregator(int p, double n, const LinkParameters& link) {
  return worker_aggregator_compressed(p, n, 1, link);
}

CollectiveCost worker_aggregator_as_printed(int p, double n, const LinkParameters& link) {
  const double lg = std::log2(p);
  return cost_of(link, 1 + lg, (p + lg) * n, (p - 1) * n);
}

CollectiveCost worker_aggregator_compressed(int p, double n, double ratio, const LinkParameters& link) {
  const ServerShape shape{p, 1, false};
  return server_leg(shape, n / ratio, link) + server_reduction(shape, n, link) + server_pull_binomial(shape, n, link);
}

CollectiveCost ring_compressed(int p, double n, double ratio, const LinkParameters& link) {
  const CollectiveCost dense = allreduce_ring(p, n, link);
  return {dense.alpha, dense.beta / ratio, dense.gamma};
}

ServerTraffic server_traffic(int workers, int servers, double n) { return {n, n * workers / servers}; }

} // namespace gradflight
