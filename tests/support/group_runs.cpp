#include "tests/support/group_runs.hpp"

#include "sim/simgrid/simgrid_engine.hpp"
#include "sim/simgrid/simgrid_module.hpp"

#include <cstdio>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace gradflight::test {

GroupOutcome run_group(const PlatformSpec& spec, const Platform& platform, const GroupWork& work) {
  const RunResult result = simulate_group(spec, platform, work);
  return {result.time, result.wire_bytes, result.messages};
}

GroupOutcome run_group_on_simgrid(const PlatformSpec& spec, const Platform& platform, const GroupWork& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  preload_simgrid();
  const pid_t child = fork();
  if (child == 0) {
    GroupPlans plans(work, platform);
    PlanSequence* const only[] = {&plans};
    GroupOutcome out;
    try {
      const PlansResult run = run_plans_on_simgrid(spec, platform, only, EngineKind::simgrid);
      out = {run.plans.front().time, run.plans.front().wire_bytes, run.plans.front().messages};
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
    _exit(write(ends[1], &out, sizeof out) == sizeof out ? 0 : 1);
  }
  close(ends[1]);
  GroupOutcome got;
  const bool read_all = read(ends[0], &got, sizeof got) == sizeof got;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!read_all || status != 0) throw std::runtime_error("the reference engine failed");
  return got;
}

} // namespace gradflight::test
