#include "tests/support/forked.hpp"

#include "analysis/run/runner.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

namespace gradflight::test {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

ForkedRun outcome_of(const RunResult& r) {
  ForkedRun o;
  o.time = r.time;
  o.iteration_time = r.iteration_time;
  o.compute_time = r.compute_time;
  o.communication_time = r.communication_time;
  o.exposed = r.exposed_communication_time;
  o.messages = r.messages;
  o.dropped = r.dropped_gradients;
  o.payload_bytes = r.payload_bytes;
  o.wire_bytes = r.wire_bytes;
  o.received_bytes = r.received_bytes;
  o.path = r.path;
  o.iteration_path = r.iteration_path;
  for (const auto& job : r.jobs) o.job_times.push_back(job.run.time);
  for (std::size_t i = 0; i < r.iterations.size(); ++i) o.ends.push_back(r.iterations[i].end);
  for (const auto& l : r.links) {
    o.link_bytes.push_back(l.bytes);
    o.link_busy.push_back(l.busy);
  }
  o.traffic = r.traffic;
  if (!r.data) return o;
  o.max_error = r.data->max_error.value_or(unknown);
  o.relative_l2_error = r.data->relative_l2_error.value_or(unknown);
  o.bias = r.data->bias.value_or(unknown);
  for (const LegBytes& step : r.data->steps) {
    o.push_wire += step.push_wire;
    o.pull_wire += step.pull_wire;
    o.exchange_iterations.push_back(step.iteration);
  }
  const SelectionResult selection = r.data->selection.value_or(SelectionResult{});
  o.selected_mass = selection.selected_mass_share;
  o.shared_indices = selection.shared_index_share.value_or(0);
  o.lost_mass = selection.lost_mass_share.value_or(0);
  return o;
}

ForkedRun failed(std::string message, std::vector<Blocked> blocked) {
  ForkedRun o;
  o.failed = true;
  o.message = std::move(message);
  o.blocked = std::move(blocked);
  return o;
}

ForkedRun on_simgrid(const Prepared& prepared) {
  ForkedRun o;
  run_cases(
      1, {},
      [&](std::size_t, Process process) { return simulate(prepared, {.process = process, .simgrid_clock = true}); },
      [&](std::size_t, Answer<RunResult> answer) {
        if (!answer.finished() && answer.end.kind != WorkEnd::Kind::failed)
          throw std::runtime_error(answer.end.message());
        o = answer.finished() ? outcome_of(answer.value) : failed(answer.end.text, answer.end.blocked);
      });
  return o;
}

} // namespace

ForkedRun run(const Scenario& scenario) {
  const Prepared prepared(scenario);
  if (scenario.engine.kind == EngineKind::simgrid) return on_simgrid(prepared);
  try {
    return outcome_of(simulate(prepared));
  } catch (const SimulationFailure& failure) {
    return failed(failure.what(), failure.blocked);
  }
}

ForkedRun run_on_simgrid_clock(const Scenario& scenario) { return on_simgrid(Prepared(scenario)); }

ForkedRun run(Scenario scenario, EngineKind engine) {
  scenario.engine.kind = engine;
  return run(scenario);
}

Scenario star(int p, std::int64_t elements, Algorithm algorithm, double reduce_bandwidth) {
  Scenario s;
  s.name = "test";
  s.platform.nodes = p;
  s.platform.network.link = {ByteRate(1.25e9), Seconds(5e-6), {}, {}};
  if (reduce_bandwidth > 0) s.platform.reduce_bandwidth = ByteRate(reduce_bandwidth);
  s.workload.layers.push_back({"all", 0, 0, {{"g", elements}}});
  s.phases.push_back({"main", {}});
  training(s).exchange.algorithm = algorithm;
  return s;
}

TrafficSpec steady_flow(std::string name, int from, int to) {
  TrafficSpec flow;
  flow.name = std::move(name);
  flow.from.nodes = {from};
  flow.to.nodes = {to};
  return flow;
}

double sum(const Path& path) {
  double total = 0;
  for (const double v : path) total += v;
  return total;
}

} // namespace gradflight::test
