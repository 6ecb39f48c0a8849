// Serializes a step for a pipe (analysis/run/bytes.hpp).
#pragma once

#include "analysis/explore/steps/steps.hpp"
#include "analysis/run/bytes.hpp"

namespace gradflight {

template <class Visitor, Same<Bound> B> void visit(Visitor& fields, B& b) { fields(b.what, b.share, b.name); }
template <class Visitor, Same<TrainedStep> S> void visit(Visitor& fields, S& s) {
  fields(s.time, s.iteration_time, s.compute_time, s.communication_time, s.exposed_communication_time);
  fields(s.messages, s.wire_bytes, s.mean_time, s.mean_path, s.calm_time, s.bounds, s.verdict, s.goodput,
         s.best_checkpoint, s.call, s.may_differ, s.differ, s.own_pace, s.run_mean);
}

} // namespace gradflight
