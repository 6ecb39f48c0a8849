// The parts of a recorded step's time: layers on the GPU's timeline, gradients, collectives, the update.
#pragma once

#include "workloads/code/trace_steps.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Two measures of the same part of a step (seconds). `span` lasts from the end of the part before it to the end of its
/// last kernel. It includes waits for the CPU to launch kernels, so the spans of all parts fill the step. `busy` counts
/// time with a running kernel.
struct TracePart {
  double span = 0, busy = 0;
};

/// A differentiable operator of the forward pass, and the operators that autograd ran for it.
struct TraceLayer {
  std::string op; ///< "aten::conv2d"
  TracePart forward, backward;
  int gradients = 0; ///< number of parameters with a gradient from this operator
  double ready = -1; ///< when the last of these gradients was ready (since the trace's first event); < 0: none
  int bucket = -1;   ///< number of gradient all-reduces issued before its backward pass began; -1: no backward pass
};

struct TraceCollective {
  std::string operation, dtype, group_name;
  std::int64_t elements = -1; ///< -1: not recorded
  double bytes = -1;          ///< -1: unknown elements or size of the type
  int group = 0;              ///< number of ranks; 0: unknown
  double issued = 0;          ///< time of issue by the CPU
  int stream = -1;            ///< -1: no kernel (a group of one rank)
  std::optional<TraceSpan> kernel;
  bool gradient = false; ///< an all-reduce issued by the backward pass
  double ready = -1;     ///< gradients only: when its last gradient was ready; < 0: unknown
};

/// Spans in their order from `begin`: before; forward of the layers; after_forward; backward of the layers and
/// loss_backward (together bucket_backward), up to backward_end; the wait for the last gradient collective, if any;
/// update, up to `end`.
struct StepTimes : TraceSpan { ///< times on the GPU
  std::string name;
  TracePart before;                       ///< until the first kernel of the first layer begins: input, buffers, CPU
  std::vector<TraceLayer> layers;         ///< forward order
  TracePart after_forward;                ///< forward pass after the last layer
  TracePart loss_backward;                ///< parts of the backward pass that belong to no layer
  std::vector<TracePart> bucket_backward; ///< the backward pass, divided where each gradient all-reduce was issued
  TracePart update;                       ///< after the backward pass and gradient collectives
  double backward_end = 0;                ///< end of the last kernel of the backward pass
  double communication_end = 0;           ///< end of the last gradient collective; backward_end without one
  bool has_backward = false;
  std::vector<TraceCollective> collectives; ///< in the order of issue

  [[nodiscard]] double forward() const; ///< sum of the layers' spans and after_forward, without `before`
  [[nodiscard]] double backward() const;
  /// Returns the gradient collectives in order, as pointers into `collectives`.
  [[nodiscard]] std::vector<const TraceCollective*> gradient_buckets() const;
};

/// Measures every step of the trace. Throws TraceError if the trace has no steps, or no GPU kernels linked to their
/// launches.
std::vector<StepTimes> measure_steps(const Trace& trace, const TraceSteps& steps);

/// Returns the index of the step with the median duration (the shorter of two in the middle).
std::size_t median_step(const std::vector<StepTimes>& steps);

/// Returns the index of the step that the user calls `wanted`: the number of its ProfilerStep annotation, else counted
/// from 1. Returns nothing if no step matches.
std::optional<std::size_t> step_called(const std::string& wanted, const std::vector<StepTimes>& steps,
                                       const TraceSteps& found);

} // namespace gradflight
