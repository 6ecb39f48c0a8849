#include "sim/simulate.hpp"

#include "sim/engine/simgrid_engine.hpp"
#include "sim/schedules/make_schedule.hpp"

#include <algorithm>

namespace gradflight {

SimulationFailure::SimulationFailure(const std::string& what, std::vector<Blocked> who)
    : std::runtime_error(what), blocked(std::move(who)), blocked_count(static_cast<std::int64_t>(blocked.size())) {}

const char* part_name(Part part) {
  static constexpr std::array<const char*, part_count> names = {"compute",    "update",       "alpha",      "beta",
                                                                "contention", "nic_pipeline", "nic_engine", "gamma",
                                                                "merge",      "codec",        "host",       "queue"};
  return names[static_cast<std::size_t>(part)];
}

int extra_nodes(const Scenario& scenario) {
  int most = 0;
  for (const Phase& phase : scenario.phases) {
    const ExchangeSpec& x = phase.training.exchange;
    if (x.algorithm == Algorithm::parameter_server && x.colocated) continue;
    most = std::max(most, helper_count(x, scenario.workers()));
  }
  return most;
}

RunResult simulate(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  Executor executor(scenario, platform, options);
  run_on_simgrid(executor, platform, scenario.engine.kind);
  return executor.finish();
}

} // namespace gradflight
