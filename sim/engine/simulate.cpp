#include "sim/engine/simulate.hpp"

#include "sim/engine/hybrid.hpp"
#include "sim/schedules/make_schedule.hpp"

#include <algorithm>

namespace gradflight {

SimulationFailure::SimulationFailure(const std::string& what, std::vector<Blocked> who)
    : std::runtime_error(what), blocked(std::move(who)), blocked_count(static_cast<std::int64_t>(blocked.size())) {}

const char* part_name(Part part) {
  static constexpr std::array<const char*, part_count> names = {
      "compute", "update", "alpha", "beta", "contention", "nic_pipeline", "nic_engine",
      "gamma",   "merge",  "codec", "host", "queue",      "interference"};
  return names[static_cast<std::size_t>(part)];
}

int extra_nodes(const Scenario& scenario) {
  int most = 0;
  for (const Phase& phase : scenario.phases) {
    const ExchangeSpec& x = phase.training.exchange;
    if (has_servers(x) && x.colocated) continue;
    most = std::max(most, helper_count(x, scenario.workers()));
  }
  return most;
}

RunResult simulate(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  if (scenario.engine.kind != EngineKind::hybrid) throw std::logic_error("this loop has no transfers of SimGrid's");
  Executor executor(scenario, platform, options);
  const auto network = fair_network(executor, platform);
  executor.use(*network);
  executor.start();
  while (executor.next() != Calendar::never) executor.advance(executor.next());
  return executor.finish();
}

} // namespace gradflight
