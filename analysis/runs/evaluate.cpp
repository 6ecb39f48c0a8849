#include "analysis/runs/evaluate.hpp"

#include "sim/simgrid/simgrid_engine.hpp"

namespace gradflight {

RunResult simulate(const Prepared& prepared, const EvaluateOptions& options) {
  const SimulateOptions recorded{options.timeline, options.progress};
  const bool on_simgrid = options.simgrid_clock || prepared.scenario().engine.kind == EngineKind::simgrid;
  if (!on_simgrid) return simulate(prepared.scenario(), prepared.platform(), recorded);
  if (options.process == Process::shared) throw NeedsOwnProcess();
  return simulate_on_simgrid(prepared.scenario(), prepared.platform(), recorded);
}

Outcome evaluate(const Prepared& prepared, const EvaluateOptions& options) {
  auto result = simulate(prepared, options);
  return {prepared.scenario(), prepared.id(), std::move(result), closed_form(prepared.scenario(), prepared.platform())};
}

} // namespace gradflight
