#include "sim/training/job.hpp"

#include <algorithm>

namespace gradflight {

std::optional<Rings> Job::rings() const {
  if (calls) return std::nullopt;
  if (!training.compression.tensors.directory.empty() || training.compression.placement || streams() > 1 ||
      has_message_costs())
    return std::nullopt;
  const Schedule& schedule = tasks.schedule();
  const auto ring = schedule.ring();
  if (!ring || ring->members < 2) return std::nullopt;
  const auto uses_gpu = [](const CostSpec& cost) { return cost.on == CostResource::gpu; };
  Rings rings;
  rings.passes_foreseen = depth() == 1 && std::ranges::none_of(training.costs, uses_gpu);
  for (int i = 0; i < ring->members; ++i) {
    rings.members.push_back(ring->participant(i));
    rings.gamma.push_back(ranks.gamma(ring->participant(i)));
  }
  std::vector<int> to;
  for (int from = 0; from < ranks.size(); ++from) {
    to.clear();
    schedule.send_outside_ring(from, to);
    for (const int other : to) rings.others.push_back({from, other});
  }
  return rings;
}

RingVector Job::ring_vector(int bucket) const {
  const auto [ratio, beside] = weights.even(bucket);
  const BucketPlan& plan = buckets.plan(bucket);
  RingVector vector{plan.elements, plan.element_bytes, ratio, beside, {}};
  if (weights.blocks().even()) return vector;
  const int members = tasks.schedule().ring()->members;
  const Blocks blocks(vector.elements, members);
  for (int b = 0; b < members; ++b) vector.wire.push_back(weights.bytes(bucket, blocks.range(b)));
  return vector;
}

} // namespace gradflight
