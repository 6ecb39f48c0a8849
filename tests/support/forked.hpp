// One simulation and its numbers, for any engine. SimGrid runs in a child process, and other engines in this process.
#pragma once

#include "scenarios/language/types/scenario.hpp"
#include "sim/simulate.hpp"

#include <string>
#include <vector>

namespace gradflight::test {

struct ForkedRun {
  bool failed = false; ///< whether it ended with a SimulationFailure
  std::string message;
  std::vector<Blocked> blocked;
  double time = 0, iteration_time = 0, compute_time = 0, communication_time = 0, exposed = 0;
  std::int64_t messages = 0, dropped = 0;
  double payload_bytes = 0, wire_bytes = 0, received_bytes = 0;
  Path path{}, iteration_path{};
  std::vector<double> ends; ///< of the iterations
  std::vector<double> link_bytes, link_busy;
  std::vector<TrafficResult> traffic;                    ///< without links
  double max_error = 0, relative_l2_error = 0, bias = 0; ///< with real tensors; NaN: unknown
  double push_wire = 0, pull_wire = 0;
  std::vector<std::int64_t> exchange_iterations{};
  std::vector<double> job_times;                               ///< of several jobs
  double selected_mass = 0, shared_indices = 0, lost_mass = 0; ///< of a selection; 0 without one
};

ForkedRun run(const Scenario& scenario);
ForkedRun run(Scenario scenario, EngineKind engine);
/// Runs in a child process on SimGrid's clock, also for hybrid scenarios.
ForkedRun run_on_simgrid_clock(const Scenario& scenario);

/// A star of p nodes, 10 Gbps, 5 us, one tensor; most tests start from this scenario.
Scenario star(int p, std::int64_t elements, Algorithm algorithm, double reduce_bandwidth = 10e9);

/// Returns the training settings of the only phase.
inline TrainingSpec& training(Scenario& s) { return s.phases.back().training; }

/// A flow from node to node that never ends.
TrafficSpec steady_flow(std::string name, int from, int to);

double sum(const Path& path);

} // namespace gradflight::test
