// The members of a run's result for bytes.hpp, including the data of real tensors. Each binding names all members in
// their order, so a member that is not listed here does not compile.
#pragma once

#include "analysis/run/bytes.hpp"
#include "sim/result/result.hpp"

namespace gradflight {

template <class Visitor, Same<PathDetails> Details> void visit(Visitor& fields, Details& d) {
  auto& [straggling, down, launching, protocol, serving] = d;
  fields(straggling, down, launching, protocol, serving);
}

template <class Visitor, Same<ChangeCost> Cost> void visit(Visitor& fields, Cost& c) {
  auto& [what, target, entry, seconds] = c;
  fields(what, target, entry, seconds);
}

template <class Visitor, Same<PathEvents> Events> void visit(Visitor& fields, Events& e) {
  auto& [costs, outages, traffic] = e;
  fields(costs, outages, traffic);
}

template <class Visitor, Same<IterationResult> Result> void visit(Visitor& fields, Result& r) {
  auto& [end, path, held, details, events, rerouted] = r;
  fields(end, path, held, details, events, rerouted);
}

template <class Visitor, Same<KeptEnds<IterationResult>> List> void visit(Visitor& fields, List& list) {
  list.visit_members(fields);
}

template <class Visitor, Same<WorkerSteps> Steps> void visit(Visitor& fields, Steps& s) {
  auto& [settled, whole] = s;
  fields(settled, whole);
}

template <class Visitor, Same<LinkRole> Role> void visit(Visitor& fields, Role& r) {
  auto& [tier, type, way, level, nic, owner, to] = r;
  fields(tier, type, way, level, nic, owner, to);
}

template <class Visitor, Same<LinkResult> Result> void visit(Visitor& fields, Result& r) {
  auto& [name, bytes, busy, bandwidth, role, changed, changed_bandwidth] = r;
  fields(name, bytes, busy, bandwidth, role, changed, changed_bandwidth);
}

template <class Visitor, Same<LinkDelay> Result> void visit(Visitor& fields, Result& r) {
  auto& [link, seconds, traffic] = r;
  fields(link, seconds, traffic);
}

template <class Visitor, Same<LinkOutage> Result> void visit(Visitor& fields, Result& r) {
  auto& [link, seconds, from, until, times, entry] = r;
  fields(link, seconds, from, until, times, entry);
}

template <class Visitor, Same<LegBytes> Result> void visit(Visitor& fields, Result& r) {
  auto& [iteration, push_payload, push_wire, pull_payload, pull_wire] = r;
  fields(iteration, push_payload, push_wire, pull_payload, pull_wire);
}

template <class Visitor, Same<SelectionResult> Result> void visit(Visitor& fields, Result& r) {
  auto& [selected_mass_share, shared_index_share, lost_mass_share] = r;
  fields(selected_mass_share, shared_index_share, lost_mass_share);
}

template <class Visitor, Same<DataResult> Result> void visit(Visitor& fields, Result& r) {
  auto& [steps, max_error, relative_l2_error, bias, selection] = r;
  fields(steps, max_error, relative_l2_error, bias, selection);
}

template <class Visitor, Same<Lifetime> Result> void visit(Visitor& fields, Result& r) {
  auto& [elapsed, useful, lost, failures, checkpoints, fewest_nodes] = r;
  fields(elapsed, useful, lost, failures, checkpoints, fewest_nodes);
}

template <class Visitor, Same<OutageRow> Result> void visit(Visitor& fields, Result& r) {
  auto& [at, until, name] = r;
  fields(at, until, name);
}

template <class Visitor, Same<TrafficResult> Result> void visit(Visitor& fields, Result& r) {
  auto& [name, flows, ended, bytes, flow_time, longest_flow_time] = r;
  fields(name, flows, ended, bytes, flow_time, longest_flow_time);
}

template <class Visitor, Same<CheckpointInterval> Result> void visit(Visitor& fields, Result& r) {
  auto& [iterations, goodput] = r;
  fields(iterations, goodput);
}

template <class Visitor, Same<FailuresResult> Result> void visit(Visitor& fields, Result& r) {
  auto& [outages, first, goodputs, period, mtbf, simulated_iterations, steady, write, read, every, best, tried] = r;
  fields(outages, first, goodputs, period, mtbf, simulated_iterations, steady, write, read, every, best, tried);
}

template <class Visitor, Same<QueueMoment> Result> void visit(Visitor& fields, Result& r) {
  auto& [at, gpus_busy, jobs_waiting] = r;
  fields(at, gpus_busy, jobs_waiting);
}

template <class Visitor, Same<QueueResult> Result> void visit(Visitor& fields, Result& r) {
  auto& [moments, utilisation, shapes, companies, unsteady] = r;
  fields(moments, utilisation, shapes, companies, unsteady);
}

template <class Visitor, Same<QueuedRun> Result> void visit(Visitor& fields, Result& r) {
  auto& [arrival, gpus, iterations, overtook, shared_with] = r;
  fields(arrival, gpus, iterations, overtook, shared_with);
}

template <class Visitor, Same<RunResult> Result> void visit(Visitor& fields, Result& r) {
  auto& [time, iteration_time, worker_steps, compute_time, communication_time, exposed_communication_time, messages,
         repeated_messages, payload_bytes, wire_bytes, received_bytes, path, iteration_path, iteration_held,
         iteration_details, iteration_events, iteration_begin, iteration_end, iterations, drained_iterations, links,
         delays, data, dropped_gradients, lost_messages, rerouted_messages, failures, traffic, other_race_time, jobs,
         last_job, queue] = r;
  fields(time, iteration_time, worker_steps, compute_time, communication_time, exposed_communication_time, messages,
         repeated_messages, payload_bytes, wire_bytes, received_bytes, path, iteration_path, iteration_held,
         iteration_details, iteration_events, iteration_begin, iteration_end, iterations, drained_iterations, links,
         delays, data, dropped_gradients, lost_messages, rerouted_messages, failures, traffic, other_race_time, jobs,
         last_job, queue);
}

template <class Visitor, Same<JobRun> Result> void visit(Visitor& fields, Result& r) {
  auto& [name, start, queued, alone_time, run] = r;
  fields(name, start, queued, alone_time, run);
}

template <class Visitor, Same<Blocked> Result> void visit(Visitor& fields, Result& b) {
  auto& [job, rank, stream, waiting_for] = b;
  fields(job, rank, stream, waiting_for);
}

} // namespace gradflight
