// A hand-made outcome with a different value in every field, for tests of its output formats.
#pragma once

#include "analysis/run/result/outcome.hpp"
#include "platforms/code/platform.hpp"

#include <limits>

namespace gradflight::testing {

/// Two iterations of a ring of 4 with compute; the form holds and agrees exactly.
inline Outcome example_outcome() {
  Outcome o;
  o.scenario.name = "example";
  o.id = "0123456789abcdef";
  o.scenario.platform.nodes = 4;
  o.scenario.platform.network.link.bandwidth = ByteRate(1.25e9);
  o.scenario.platform.network.link.latency = Seconds(5e-6);
  o.scenario.platform.reduce_bandwidth = ByteRate(1e10);
  o.scenario.workload.layers = {{"conv", 0.01, 0.02, {{"w", 1'000'000}}}};
  o.scenario.workload.update = 0.001;
  o.scenario.workload.assumed = "all of it";
  Phase main{"main", {}};
  main.training.iterations = 2;
  o.scenario.phases = {main};

  RunResult& r = o.result;
  const auto spent = [&r](Part part, double seconds) { at(r.path, part) = seconds; };
  spent(Part::compute, 0.06);
  spent(Part::update, 0.002);
  spent(Part::alpha, 0.0001);
  spent(Part::beta, 0.1);
  spent(Part::gamma, 0.01);
  for (const double part : r.path) r.time += part;
  for (std::size_t i = 0; i < r.path.size(); ++i) r.iteration_path[i] = r.path[i] / 2;
  r.iteration_time = r.time / 2;
  r.compute_time = 0.031;
  r.communication_time = 0.055;
  r.exposed_communication_time = 0.05;
  r.messages = 48;
  r.payload_bytes = r.wire_bytes = r.received_bytes = 48e6;
  r.iterations.push_back({r.time / 2, r.iteration_path});
  r.iterations.push_back({r.time, r.path});
  r.links = {{"node0.up", 12e6, 0.1, 1.25e9}, {"node0.down", 6e6, 0.05, 1.25e9}, {"node1.up", 0, 0, 1.25e9}};

  ClosedForm form;
  form.name = "ring_allreduce";
  form.formula = "2(p-1) alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma";
  form.source = "Thakur et al. 2005";
  form.terms = {r.time, 0.0001, 0.1, 0.01, 0.062, 0};
  form.assumptions = {{AssumptionId::links_alike, "all links alike", true, ""},
                      {AssumptionId::one_stream, "no overlap", true, ""}};
  o.form.form = form;
  explain(o, build_platform(o.scenario.platform, 0));
  return o;
}

/// The same, with each optional part of a result.
inline Outcome outcome_with_everything() {
  Outcome o = example_outcome();
  o.scenario.phases.insert(o.scenario.phases.begin(), o.scenario.phases.front());
  o.scenario.phases.front().name = "warm-up";
  for (Phase& phase : o.scenario.phases) phase.training.iterations = 1;
  o.scenario.phases.back().training.compression.tensors.directory = "gradients";
  o.scenario.platform.protocol.emplace();
  o.scenario.phases.back().training.exchange.consistency = Consistency::asynchronous;
  o.result.worker_steps = WorkerSteps{0.75 * o.result.iteration_time, 0.875 * o.result.iteration_time};
  o.result.other_race_time = 1.5 * o.result.time;
  o.result.data = DataResult{{{0, 12e6, 3e6, 12e6, 12e6}, {1, 8e6, 2e6, 0, 0}}, 1e-3, 0.01, -1e-6, {}};
  FailuresResult failures;
  failures.first.elapsed = 12;
  failures.first.useful = 6;
  failures.first.lost = {0.5, 1, 2, 1.5, 0.75, 0.25};
  failures.first.fewest_nodes = 3;
  failures.first.failures = {1, 2, 0, 1, 0};
  failures.first.checkpoints = 9;
  failures.goodputs = {0.5, 0.75, 0.25};
  failures.period = 0.125;
  failures.mtbf = 64;
  failures.simulated_iterations = 8;
  failures.write = 0.25;
  failures.read = 0.375;
  failures.every = 10;
  failures.best = CheckpointInterval{12, 0.625};
  failures.outages = {{1, 2, "node 1"}, {3, std::numeric_limits<double>::infinity(), "GPU 3"}};
  o.result.failures = failures;
  o.scenario.traffic.resize(1);
  o.scenario.traffic[0].name = "backup";
  o.result.traffic = {{"backup", 5, 3, 7e6, 0.03125, 0.0625}};
  o.scenario.failures.emplace().at(ComponentKind::node).emplace().mtbf = Seconds(64);
  o.scenario.recovery.emplace().policy = RecoveryPolicy::reroute;
  o.result.lost_messages = 3;
  o.result.rerouted_messages = 2;
  o.bottlenecks = {{"rack0.up", 3, 0.01, {}, "backup"}};
  o.changes = {{0.5, 2, "node3.up", "bandwidth 4 Gbps"}};
  o.result.data->selection = SelectionResult{0.9, 0.8, 0.05};
  o.form.form->paper = PaperForm{"printed", "a paper", "counts a port once", {7, 1, 2, 4, 0, 0}};
  explain(o, build_platform(o.scenario.platform, 0));
  o.mean = MeanStep{o.result.iteration_time, o.result.iteration_path, o.bounds};
  return o;
}

/// Two jobs that share a link.
inline Outcome outcome_of_jobs() {
  Outcome o = example_outcome();
  for (const char* name : {"a", "b"}) {
    Outcome job = example_outcome();
    job.bottlenecks = {{"rack0.up", 3, 0.01, name[0] == 'a' ? "b" : "a", "backup"}};
    o.result.jobs.push_back({name, 0.25, {}, 0.5 * job.result.time, job.result});
    o.result.jobs.back().run.links.clear();
    o.jobs.push_back(std::move(job));
  }
  for (std::size_t i = 0; i < 2; ++i) { // their steps differ
    o.jobs[i].scenario.phases.back().training.iterations = 2;
    o.result.jobs[i].run.iterations.front().end *= 0.9;
  }
  o.bottlenecks = {{"rack0.up", 3, 0.01, "a, b", "backup"}};
  o.jobs.front().form.form->paper = PaperForm{"printed", "a paper", "counts a port once", {7, 1, 2, 4, 0, 0}};
  o.jobs.back().form = {{}, "asynchronous servers"};
  o.form = {{}, "several jobs, each of which has its own"};
  o.scenario.phases.clear();
  o.scenario.jobs.resize(2);
  return o;
}

/// Two jobs of a list; the second one waited for the first.
inline Outcome outcome_of_list() {
  Outcome o = example_outcome();
  JobRun job{"a", 0.25, QueuedRun{0.25, 4, 100, false, 1}, 0.8 * o.result.time, o.result};
  job.run.links.clear();
  o.result.jobs = {job, job};
  o.result.jobs[1].name = "b";
  o.result.jobs[1].queued = QueuedRun{0.5, 8, 20, true, 1};
  o.result.jobs[1].start = 1;
  o.result.queue = QueueResult{{{0.25, 4, 0}, {0.5, 4, 1}, {1, 8, 0}, {2, 0, 0}}, 0.75, 2, 3, 1};
  o.form = {{}, "it is a list of jobs that wait for each other"};
  o.scenario.queue.emplace();
  list_links(o, LinkListing::groups);
  return o;
}

} // namespace gradflight::testing
