#include "sim/group/simulate_group.hpp"

#include "sim/engine/run_plans.hpp"

namespace gradflight {

RunResult simulate_group(const PlatformSpec& spec, const Platform& platform, const GroupWork& work,
                         const EngineOptions& options) {
  GroupPlans plans(work, platform);
  PlanSequence* const only[] = {&plans};
  PlansResult run = run_plans(spec, platform, only, options);
  RunResult result = std::move(run.plans.front());
  result.links = std::move(run.links);
  return result;
}

} // namespace gradflight
