#include "analysis/result/outcome.hpp"

namespace gradflight {

double utilisation(const LinkResult& link, double run_time) {
  const double capacity = link.bandwidth * run_time;
  return capacity > 0 ? link.bytes / capacity : 0;
}

LegBytes total(const DataResult& data) {
  LegBytes all;
  for (const LegBytes& step : data.steps) {
    all.push_payload += step.push_payload;
    all.push_wire += step.push_wire;
    all.pull_payload += step.pull_payload;
    all.pull_wire += step.pull_wire;
  }
  return all;
}

const char* engine_name(EngineKind kind) { return kind == EngineKind::simgrid ? "simgrid" : "hybrid"; }

std::int64_t total_iterations(const Scenario& scenario) {
  std::int64_t sum = 0;
  for (const Phase& phase : scenario.phases) sum += phase.training.iterations;
  return sum;
}

const std::string& phase_of_iteration(const Scenario& scenario, std::int64_t index) {
  for (const Phase& phase : scenario.phases) {
    if (index < phase.training.iterations) return phase.name;
    index -= phase.training.iterations;
  }
  return scenario.phases.back().name;
}

} // namespace gradflight
