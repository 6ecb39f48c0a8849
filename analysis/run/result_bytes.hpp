// The members of a run's result for bytes.hpp, including the data of real tensors.
#pragma once

#include "analysis/run/bytes.hpp"
#include "sim/result/result.hpp"

namespace gradflight {

template <class Visitor, Same<PathDetails> Details> void visit(Visitor& fields, Details& d) {
  fields(d.straggling, d.down, d.launching, d.protocol, d.serving);
}

template <class Visitor, Same<ChangeCost> Cost> void visit(Visitor& fields, Cost& c) {
  fields(c.what, c.target, c.entry, c.seconds);
}

template <class Visitor, Same<IterationResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.end, r.path, r.held, r.details, r.costs, r.rerouted);
}

template <class Visitor, Same<KeptEnds<IterationResult>> List> void visit(Visitor& fields, List& list) {
  list.visit_members(fields);
}

template <class Visitor, Same<WorkerSteps> Steps> void visit(Visitor& fields, Steps& s) { fields(s.settled, s.whole); }

template <class Visitor, Same<LinkRole> Role> void visit(Visitor& fields, Role& r) {
  fields(r.tier, r.type, r.way, r.level, r.nic, r.owner, r.to);
}

template <class Visitor, Same<LinkResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.name, r.bytes, r.busy, r.bandwidth, r.role, r.changed, r.changed_bandwidth);
}

template <class Visitor, Same<LinkDelay> Result> void visit(Visitor& fields, Result& r) {
  fields(r.link, r.seconds, r.traffic);
}

template <class Visitor, Same<LinkOutage> Result> void visit(Visitor& fields, Result& r) {
  fields(r.link, r.seconds, r.from, r.until, r.times, r.entry);
}

template <class Visitor, Same<LegBytes> Result> void visit(Visitor& fields, Result& r) {
  fields(r.iteration, r.push_payload, r.push_wire, r.pull_payload, r.pull_wire);
}

template <class Visitor, Same<SelectionResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.selected_mass_share, r.shared_index_share, r.lost_mass_share);
}

template <class Visitor, Same<DataResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.steps, r.max_error, r.relative_l2_error, r.bias, r.selection);
}

template <class Visitor, Same<Lifetime> Result> void visit(Visitor& fields, Result& r) {
  fields(r.elapsed, r.useful, r.lost, r.failures, r.checkpoints, r.fewest_nodes);
}

template <class Visitor, Same<OutageRow> Result> void visit(Visitor& fields, Result& r) {
  fields(r.at, r.until, r.name);
}

template <class Visitor, Same<TrafficResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.name, r.flows, r.ended, r.bytes, r.flow_time, r.longest_flow_time);
}

template <class Visitor, Same<CheckpointInterval> Result> void visit(Visitor& fields, Result& r) {
  fields(r.iterations, r.goodput);
}

template <class Visitor, Same<FailuresResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.outages, r.first, r.goodputs, r.period, r.mtbf, r.simulated_iterations, r.steady, r.write, r.read, r.every,
         r.best);
}

template <class Visitor, Same<QueueMoment> Result> void visit(Visitor& fields, Result& r) {
  fields(r.at, r.gpus_busy, r.jobs_waiting);
}

template <class Visitor, Same<QueueResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.moments, r.utilisation, r.shapes, r.companies, r.unsteady);
}

template <class Visitor, Same<QueuedRun> Result> void visit(Visitor& fields, Result& r) {
  fields(r.arrival, r.gpus, r.iterations, r.overtook, r.shared_with);
}

template <class Visitor, Same<RunResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.time, r.iteration_time, r.worker_steps, r.compute_time, r.communication_time, r.exposed_communication_time);
  fields(r.messages, r.payload_bytes, r.wire_bytes, r.received_bytes, r.path, r.iteration_path, r.iteration_held,
         r.iteration_details, r.repeated_messages);
  fields(r.iterations, r.drained_iterations, r.links, r.delays, r.outages, r.data, r.dropped_gradients, r.lost_messages,
         r.rerouted_messages, r.failures, r.traffic, r.other_race_time, r.jobs, r.last_job);
  fields(r.queue);
}

template <class Visitor, Same<JobRun> Result> void visit(Visitor& fields, Result& r) {
  fields(r.name, r.start, r.queued, r.alone_time, r.run);
}

template <class Visitor, Same<Blocked> Result> void visit(Visitor& fields, Result& b) {
  fields(b.job, b.rank, b.stream, b.waiting_for);
}

} // namespace gradflight
