#include "sim/engine/run_plans.hpp"

#include "sim/engine/hybrid.hpp"

namespace gradflight {

PlansResult run_plans(const PlatformSpec& spec, const Platform& platform, std::span<PlanSequence* const> plans,
                      const EngineOptions& options) {
  Executor executor(spec, platform, plans, options);
  const auto network = fair_network(executor);
  executor.transport().use(*network);
  executor.start();
  while (executor.next() < Calendar::never) executor.advance(executor.next());
  return executor.finish();
}

} // namespace gradflight
