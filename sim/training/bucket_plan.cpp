#include "sim/training/bucket_plan.hpp"

#include "models/codecs/selection/topk_entries.hpp"
#include "models/schedules/parts/collective.hpp"

namespace gradflight {

Resource resource_of(CostResource on) {
  switch (on) {
  case CostResource::gpu: return Resource::gpu;
  case CostResource::cpu: return Resource::cpu;
  case CostResource::pcie: return Resource::pcie;
  }
  return Resource::cpu;
}

WorkOp host_op(const HostWork& work, std::int64_t iteration) {
  return {work.resource, Part::host, Activity::cost, work.label, iteration, work.seconds};
}

BucketPlan plan_bucket(const Bucket& bucket, const TrainingSpec& training, const ModelSize& model) {
  BucketPlan plan;
  plan.elements = bucket.elements;
  plan.unit_bytes = plan.element_bytes = bucket.width();
  const ExchangeSpec& x = training.exchange;
  if (sends_lists(x)) {
    plan.unit_bytes = topk_list_bytes(topk_entries(x.density, bucket.elements), bucket.width());
    plan.element_bytes = topk_list_bytes(1, bucket.width()) / 2; // an index and a value count as two elements
  }
  for (std::size_t c = 0; c < training.costs.size(); ++c) {
    const CostSpec& cost = training.costs[c];
    const bool applies = bucket.norms ? cost.at == CostHook::selection
                                      : cost.at == CostHook::before_exchange || cost.at == CostHook::after_exchange;
    if (!applies) continue;
    const ModelSize size = bucket.norms ? model : ModelSize{static_cast<double>(bucket.elements), bucket.bytes()};
    const double pieces = bucket.norms ? static_cast<double>(bucket.elements) : bucket.tensors;
    auto& list = cost.at == CostHook::after_exchange ? plan.after : plan.before;
    list.push_back(
        {resource_of(cost.on), static_cast<int>(c), cost.rates().vector_seconds(size.elements, pieces, size.bytes)});
  }
  return plan;
}

} // namespace gradflight
