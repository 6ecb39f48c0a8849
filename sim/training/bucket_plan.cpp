#include "sim/training/bucket_plan.hpp"

#include <algorithm>

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

BucketPlan plan_bucket(const Bucket& bucket, const TrainingSpec& training, double model_elements) {
  BucketPlan plan;
  plan.elements = bucket.elements;
  const ExchangeSpec& x = training.exchange;
  if (x.algorithm == Algorithm::topk_allgather || x.algorithm == Algorithm::gtopk) {
    const auto k =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(bucket.elements) * x.density));
    plan.unit_bytes = 8.0 * static_cast<double>(k);
  }
  for (std::size_t c = 0; c < training.costs.size(); ++c) {
    const CostSpec& cost = training.costs[c];
    const bool applies = bucket.norms ? cost.at == CostHook::selection
                                      : cost.at == CostHook::before_exchange || cost.at == CostHook::after_exchange;
    if (!applies) continue;
    const double n = bucket.norms ? model_elements : static_cast<double>(bucket.elements);
    const double pieces = bucket.norms ? static_cast<double>(bucket.elements) : bucket.tensors;
    const double seconds = cost.fixed.value() + cost.per_tensor.value() * pieces + cost.per_element.value() * n +
                           cost.per_byte.value() * element_bytes * n;
    auto& list = cost.at == CostHook::after_exchange ? plan.after : plan.before;
    list.push_back({resource_of(cost.on), static_cast<int>(c), seconds});
  }
  return plan;
}

} // namespace gradflight
