// One finished run with all that is said about it: what report, result JSON and run directory are written from.
#pragma once

#include "analysis/forms/closed_form.hpp"
#include "analysis/result/change_rows.hpp"
#include "analysis/result/link_groups.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <string>

namespace gradflight {

struct Outcome {
  Scenario scenario;
  std::string id; ///< of the scenario's canonical form
  RunResult result;
  ClosedFormAnswer form;
  std::vector<DearLinks> dearest{}; ///< dearest_links(result)
  std::vector<ChangeRow> changes{}; ///< those that came during the run
};

/// Share of a run in which a link carried its full bandwidth: bytes / (bandwidth * time); 0 for a run of no time.
double utilisation(const LinkResult& link, double run_time);

/// All exchanges together.
LegBytes total(const DataResult& data);

/// "hybrid" or "simgrid".
const char* engine_name(EngineKind kind);

/// Iterations of all phases together.
std::int64_t total_iterations(const Scenario& scenario);

/// The name of the phase in which iteration `index` (from 0, over all phases) runs.
const std::string& phase_of_iteration(const Scenario& scenario, std::int64_t index);

} // namespace gradflight
