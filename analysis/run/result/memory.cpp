#include "analysis/run/result/memory.hpp"

#include "models/schedules/parts/collective.hpp"
#include "platforms/code/gpu_capacity.hpp"
#include "scenarios/language/types/scenario.hpp"

namespace gradflight {

MemoryNeed memory_per_gpu(const Scenario& scenario) {
  MemoryNeed need;
  const ExchangeSpec& exchange = scenario.phases.back().training.exchange;
  if (is_sharded(exchange)) {
    const int group = exchange.sharded.group_size > 0 ? exchange.sharded.group_size : scenario.workers();
    const double whole = exchange.sharded.stage == 1 ? 4 : exchange.sharded.stage == 2 ? 2 : 0;
    need.sharded = true;
    need.bytes_per_parameter = whole + (16 - whole) / group;
  }
  need.bytes = need.bytes_per_parameter * static_cast<double>(scenario.workload.elements());
  need.gpu = scenario.workload.gpu;
  if (need.gpu.empty() && scenario.platform.node) need.gpu = scenario.platform.node->gpu.name;
  if (const GpuCapacity* gpu = find_gpu_capacity(need.gpu)) need.capacity = gpu->memory.value();
  return need;
}

} // namespace gradflight
