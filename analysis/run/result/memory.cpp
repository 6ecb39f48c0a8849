#include "analysis/run/result/memory.hpp"

#include "models/schedules/parts/collective.hpp"
#include "platforms/code/spec/gpu_capacity.hpp"
#include "scenarios/language/types/scenario.hpp"

namespace gradflight {

MemoryNeed memory_per_gpu(const Scenario& scenario) {
  MemoryNeed need;
  double kept = 1; // share of the gradients that one rank keeps
  const ExchangeSpec& exchange = scenario.phases.back().training.exchange;
  if (is_sharded(exchange)) {
    const int group = exchange.sharded.group_size > 0 ? exchange.sharded.group_size : scenario.workers();
    const double whole = exchange.sharded.stage == 1 ? 4 : exchange.sharded.stage == 2 ? 2 : 0;
    need.sharded = true;
    need.bytes_per_parameter = whole + (16 - whole) / group;
    kept = exchange.sharded.stage == 1 ? 1 : 1.0 / group;
  }
  // An fp8 gradient has one byte less than the two bytes assumed for mixed precision.
  double narrow = 0;
  for (const Layer& layer : scenario.workload.layers)
    for (const Tensor& tensor : layer.tensors)
      if (tensor.element == Element::fp8) narrow += static_cast<double>(tensor.elements);
  if (narrow > 0) need.bytes_per_parameter -= kept * narrow / static_cast<double>(scenario.workload.elements());
  need.bytes = need.bytes_per_parameter * static_cast<double>(scenario.workload.elements());
  need.gpu = scenario.workload.gpu;
  if (need.gpu.empty() && scenario.platform.node) need.gpu = scenario.platform.node->gpu.name;
  if (const GpuCapacity* gpu = find_gpu_capacity(need.gpu)) need.capacity = gpu->memory.value();
  return need;
}

} // namespace gradflight
