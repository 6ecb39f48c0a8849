// A workload from a recorded step.
#pragma once

#include "workloads/code/trace_times.hpp"
#include "workloads/code/workload.hpp"

#include <string>
#include <vector>

namespace gradflight {

enum class TraceTimes {
  span, ///< the GPU's timeline, waits for the CPU included: the step lasts as long as the recorded one
  busy  ///< kernels only: as if launching were free
};

/// `model`'s layers and tensors with the step's times. Its layers with tensors are matched in forward order with the
/// operators that made gradients (without a backward pass: with convolutions, linear, normalisation and embedding
/// operators), which must be as many, with as many gradients each. The operators between two of them go to the model's
/// layers in between, in order; surplus ones to the last of these, or to the layer before. Time that no layer has
/// stands in layers of its own without tensors: "before forward" and "loss". Throws TraceError where the two do not
/// fit.
Workload workload_of_layers(const StepTimes& step, const Workload& model, TraceTimes times);

/// One layer for each recorded gradient all-reduce, of its bytes: for granularity "tensor". Forward operators belong to
/// the bucket that their backward pass fills. Throws TraceError if the step has none, or not their sizes.
Workload workload_of_buckets(const StepTimes& step, TraceTimes times);

/// What types the recorded gradients have.
struct RecordedTypes {
  std::vector<std::string> names{}; ///< those with most bytes first: "bf16"; of other types as recorded: "double"
  std::optional<Element> element{}; ///< of most bytes; nothing: not recorded, or not a type that workloads know
  int words = 0;                    ///< bytes of an element of such another type; else 0
};
RecordedTypes recorded_types(const StepTimes& step);

/// Gives a model's tensors the recorded type. A type that workloads do not know becomes as many 4-byte words as have
/// its bytes. Where several types are recorded, a model that names types keeps them.
void take_types(Workload& model, const RecordedTypes& types);

} // namespace gradflight
