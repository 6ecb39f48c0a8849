#include "sim/group/simulate_group.hpp"

#include "sim/engine/run_plans.hpp"

namespace gradflight {

static RunResult run(const PlatformSpec& spec, const Platform& platform, const GroupWork& work, GroupPlans& plans,
                     EngineOptions options) {
  PlanSequence* const only[] = {&plans};
  options.stand_ins = work.stand_ins;
  PlansResult run = run_plans(spec, platform, only, options);
  RunResult result = std::move(run.plans.front());
  result.links = std::move(run.links);
  return result;
}

RunResult simulate_group(const PlatformSpec& spec, const Platform& platform, const GroupWork& work,
                         const EngineOptions& options) {
  GroupPlans plans(work, platform);
  return run(spec, platform, work, plans, options);
}

ShortenedRun simulate_shortened(const PlatformSpec& spec, const Platform& platform, const GroupWork& work) {
  GroupPlans plans(work, platform, true);
  ShortenedRun shortened{run(spec, platform, work, plans, {}), {}, {}};
  for (int repeat = 0; repeat < work.repeats; ++repeat) {
    shortened.schedules.push_back(plans.course().take_shortened(repeat));
    shortened.left_out.push_back(plans.course().left_out(repeat));
  }
  return shortened;
}

} // namespace gradflight
