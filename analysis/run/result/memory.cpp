#include "analysis/run/result/memory.hpp"

#include "models/schedules/parts/collective.hpp"
#include "platforms/code/spec/gpu_capacity.hpp"
#include "scenarios/language/types/scenario.hpp"

namespace gradflight {

MemoryNeed memory_per_gpu(const Scenario& scenario) {
  // Bytes per parameter in mixed precision, and the shares of them that one rank holds.
  constexpr double weight = 2, gradient = 2, state = 12;
  double weights = 1, gradients = 1, states = 1;
  MemoryNeed need;
  const TrainingSpec& training = scenario.phases.back().training;
  const ExchangeSpec& exchange = training.exchange;
  if (is_sharded(exchange)) {
    const ShardedSpec& sharded = exchange.sharded;
    const double shard = 1.0 / (sharded.group_size > 0 ? sharded.group_size : scenario.workers());
    need.sharded = true;
    states = shard;
    if (sharded.stage >= 2 && !(sharded.no_sync && training.accumulation > 1)) gradients = shard;
    if (sharded.stage == 3 && sharded.reshard_after_forward) weights = shard;
  } else if (has_servers(exchange)) {
    need.servers_update = true;
    states = 0;
  }
  // An fp8 gradient has one byte.
  double narrow = 0;
  for (const Layer& layer : scenario.workload.layers)
    for (const Tensor& tensor : layer.tensors)
      if (tensor.element == Element::fp8) narrow += static_cast<double>(tensor.elements);
  if (narrow > 0) narrow /= static_cast<double>(scenario.workload.elements());
  need.bytes_per_parameter = weights * weight + gradients * (gradient - narrow) + states * state;
  need.bytes = need.bytes_per_parameter * static_cast<double>(scenario.workload.elements());
  need.gpu = scenario.workload.gpu;
  if (need.gpu.empty() && scenario.platform.node) need.gpu = scenario.platform.node->gpu.name;
  if (const GpuCapacity* gpu = find_gpu_capacity(need.gpu)) need.capacity = gpu->memory.value();
  return need;
}

} // namespace gradflight
