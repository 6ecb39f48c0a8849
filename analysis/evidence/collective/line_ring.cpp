#include "analysis/evidence/collective/line_ring.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace gradflight {

namespace {

constexpr double without_limit = std::numeric_limits<double>::infinity();

/// Returns the rate from a rank to the others of its node: on a mesh, of the links to all of them together.
double rate_inside(const CollectiveGroup& group, int rank) {
  const auto place = [&](int which) { return group.places[static_cast<std::size_t>(which)]; };
  const int first = rank / group.gpus_per_node * group.gpus_per_node;
  double all = 0, best = 0;
  for (int other = first; other < first + group.gpus_per_node; ++other) {
    if (other == rank) continue;
    const double rate = group.platform.cost(place(rank), place(other)).bandwidth;
    best = std::max(best, rate);
    all += rate;
  }
  const auto& node = group.spec.node;
  if (!node || !node->mesh()) return best;
  double links = 0;
  for (const GpuPair& pair : mesh_pairs(*node)) {
    const int a = rank - first;
    const bool here = pair.a < group.gpus_per_node && pair.b < group.gpus_per_node;
    if (here && (pair.a == a || pair.b == a)) links += pair.links;
  }
  return links > 0 ? links * node->link.bandwidth.value_or(node->gpu.link_payload()).value() : std::min(all, best);
}

/// Returns the number of NICs that the group's GPUs of a node use.
std::size_t nics_used(const CollectiveGroup& group) {
  if (!group.spec.node) return 1;
  const auto near = nics_of_gpus(*group.spec.node);
  std::set<int> used;
  for (int gpu = 0; gpu < group.gpus_per_node; ++gpu)
    used.insert(near[static_cast<std::size_t>(gpu)].begin(), near[static_cast<std::size_t>(gpu)].end());
  return used.size();
}

} // namespace

LineRates line_rates(const CollectiveGroup& group) {
  LineRates rates{without_limit, without_limit, without_limit, 0};
  const int g = group.gpus_per_node;
  const auto alpha = [&](int a, int b) {
    const auto cost =
        group.platform.cost(group.places[static_cast<std::size_t>(a)], group.places[static_cast<std::size_t>(b)]);
    rates.alpha = std::max(rates.alpha, cost.alpha);
    return cost.bandwidth;
  };
  for (int rank = 0; g > 1 && rank < g; ++rank) {
    alpha(rank, (rank + 1) % g);
    rates.inside = std::min(rates.inside, rate_inside(group, rank));
  }
  rates.own = rates.inside;
  if (group.nodes == 1) return rates;
  rates.own = without_limit;
  for (int rank = 0; rank < g; ++rank) rates.own = std::min(rates.own, alpha(rank, g + rank));
  rates.between = rates.own * static_cast<double>(nics_used(group));
  if (group.spec.node && group.spec.node->nic_total)
    rates.both = std::min(1.0, group.spec.node->nic_total->value() / 2 / rates.own);
  return rates;
}

double line_ring_time(const LineRates& rates, Operation op, double bytes, int ranks, int gpus_per_node) {
  const double p = ranks, g = gpus_per_node, n = bytes, others = (p - 1) / p;
  const double each_way = has_root(op) ? 1 : rates.both;
  const double ring = std::min(rates.inside, rates.between * each_way);
  const double own = std::min(rates.inside, rates.own * each_way);
  const double steps = (p - 1) * rates.alpha;
  switch (op) {
  case Operation::all_reduce: return 2 * (steps + others * n / ring);
  case Operation::all_gather:
  case Operation::reduce_scatter: return steps + others * n / ring;
  case Operation::alltoall:
    return steps + std::max((g - 1) / p * n / rates.inside, g * (p - g) / p * n / (rates.between * each_way));
  case Operation::broadcast:
  case Operation::reduce: return steps + n / ring;
  case Operation::gather:
  case Operation::scatter: return steps + others * n / own;
  case Operation::sendrecv: return rates.alpha + n / own;
  case Operation::barrier: break;
  }
  return steps;
}

} // namespace gradflight
