// A workload from a recorded step.
#pragma once

#include "workloads/code/trace_times.hpp"
#include "workloads/code/workload.hpp"

#include <string>
#include <vector>

namespace gradflight {

enum class TraceTimes {
  span, ///< the GPU's timeline, including waits for the CPU: the step lasts as long as the recorded one
  busy  ///< kernels only, as if launches took no time
};

/// Returns `model`'s layers and tensors with the step's times. Its layers with tensors are matched in forward order
/// with the operators that computed gradients. Without a backward pass, they are matched with convolutions, linear,
/// normalisation and embedding operators. The numbers of operators and layers must agree, and so must the gradients of
/// each. Operators between two matched ones are added to the model's layers in between, in order. Surplus operators are
/// added to the last of these layers, or to the layer before. Time that belongs to no layer is in two layers without
/// tensors: "before forward" and "loss". Throws TraceError if the step does not match the model.
Workload workload_of_layers(const StepTimes& step, const Workload& model, TraceTimes times);

/// Returns one layer per recorded gradient all-reduce, with its bytes, for granularity "tensor". Forward operators
/// belong to the bucket that their backward pass fills. Throws TraceError if the step has no gradient all-reduces, or
/// if their sizes are unknown.
Workload workload_of_buckets(const StepTimes& step, TraceTimes times);

/// The types of the recorded gradients.
struct RecordedTypes {
  /// Types with the most bytes first, such as "bf16"; unknown types as recorded, such as "double".
  std::vector<std::string> names{};
  std::optional<Element> element{}; ///< type with the most bytes; empty: not recorded, or not a type of workloads
  int words = 0;                    ///< bytes of an element of an unknown type; else 0
};
RecordedTypes recorded_types(const StepTimes& step);

/// Gives a model's tensors the recorded type. Elements of an unknown type become 4-byte words with the same bytes in
/// total. If several types are recorded, a model that names types keeps them.
void take_types(Workload& model, const RecordedTypes& types);

} // namespace gradflight
