// Serializes a step for a pipe (analysis/run/bytes.hpp).
#pragma once

#include "analysis/explore/steps/steps.hpp"
#include "analysis/run/bytes.hpp"

namespace gradflight {

template <class Visitor, Same<Bound> B> void visit(Visitor& fields, B& b) {
  auto& [what, share, name] = b;
  fields(what, share, name);
}
template <class Visitor, Same<TrainedStep> S> void visit(Visitor& fields, S& s) {
  auto& [time, iteration_time, compute_time, communication_time, exposed_communication_time, messages, wire_bytes,
         may_differ, differ, mean_time, mean_path, own_pace, run_mean, calm_time, bounds, verdict, call, launches,
         warnings, goodput, best_checkpoint] = s;
  fields(time, iteration_time, compute_time, communication_time, exposed_communication_time, messages, wire_bytes,
         may_differ, differ, mean_time, mean_path, own_pace, run_mean, calm_time, bounds, verdict, call, launches,
         warnings, goodput, best_checkpoint);
}

} // namespace gradflight
