// What a run's result consists of, for bytes.hpp: all of it, what real tensors went through included.
#pragma once

#include "analysis/runs/bytes.hpp"
#include "sim/result/result.hpp"

namespace gradflight {

template <class Visitor, Same<IterationResult> Result> void visit(Visitor& fields, Result& r) { fields(r.end, r.path); }

template <class Visitor, Same<LinkResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.name, r.bytes, r.busy, r.bandwidth);
}

template <class Visitor, Same<LinkDelay> Result> void visit(Visitor& fields, Result& r) { fields(r.link, r.seconds); }

template <class Visitor, Same<LegBytes> Result> void visit(Visitor& fields, Result& r) {
  fields(r.iteration, r.push_payload, r.push_wire, r.pull_payload, r.pull_wire);
}

template <class Visitor, Same<SelectionResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.selected_mass_share, r.shared_index_share, r.lost_mass_share);
}

template <class Visitor, Same<DataResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.steps, r.max_error, r.relative_l2_error, r.bias, r.selection);
}

template <class Visitor, Same<RunResult> Result> void visit(Visitor& fields, Result& r) {
  fields(r.time, r.iteration_time, r.compute_time, r.communication_time, r.exposed_communication_time);
  fields(r.messages, r.payload_bytes, r.wire_bytes, r.received_bytes, r.path, r.iteration_path);
  fields(r.iterations, r.links, r.delays, r.data, r.dropped_gradients, r.other_race_time);
}

template <class Visitor, Same<Blocked> Result> void visit(Visitor& fields, Result& b) {
  fields(b.rank, b.stream, b.waiting_for);
}

} // namespace gradflight
