// What a recorded step spent its time on: layers on the GPU's timeline, gradients, collectives, the update.
#pragma once

#include "workloads/code/trace_steps.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Two readings of the same part of a step (seconds). `span`: from the end of the part before it to its last kernel's
/// end, waits for the CPU to launch kernels included: spans tile the step. `busy`: with a kernel running.
struct TracePart {
  double span = 0, busy = 0;
};

/// A differentiable operator of the forward pass and what autograd ran for it.
struct TraceLayer {
  std::string op; ///< "aten::conv2d"
  TracePart forward, backward;
  int gradients = 0; ///< parameters whose gradient it makes
  double ready = -1; ///< when the last of them was there (since the trace's first event); < 0: none
  int bucket = -1;   ///< gradient all-reduces issued before its backward pass began; -1: it has none
};

struct TraceCollective {
  std::string operation, dtype, group_name;
  std::int64_t elements = -1; ///< -1: not recorded
  double bytes = -1;          ///< -1: elements or the type's size not known
  int group = 0;              ///< ranks; 0: not known
  double issued = 0;          ///< by the CPU
  int stream = -1;            ///< -1: no kernel (a group of one rank)
  std::optional<TraceSpan> kernel;
  bool gradient = false; ///< an all-reduce issued by the backward pass
  double ready = -1;     ///< gradient: when its last gradient was there; < 0: not known
};

/// Spans from begin on: before, forward of the layers, after_forward, backward of the layers and loss_backward
/// (together bucket_backward) to backward_end; the wait for the last gradient collective, if any; update to end.
struct StepTimes : TraceSpan { ///< on the GPU
  std::string name;
  TracePart before;                       ///< the first layer's first kernel has not begun: input, buffers, CPU
  std::vector<TraceLayer> layers;         ///< forward order
  TracePart after_forward;                ///< of the forward pass, after the last layer
  TracePart loss_backward;                ///< of the backward pass, what ties to no layer
  std::vector<TracePart> bucket_backward; ///< the backward pass, cut where each gradient all-reduce was issued
  TracePart update;                       ///< after backward and gradient collectives
  double backward_end = 0;                ///< last kernel of the backward pass
  double communication_end = 0;           ///< of the last gradient collective; backward_end, where there is none
  bool has_backward = false;
  std::vector<TraceCollective> collectives; ///< as issued

  [[nodiscard]] double forward() const; ///< sums of spans; `before` is apart
  [[nodiscard]] double backward() const;
  /// Gradient collectives, in order; pointers into `collectives`.
  [[nodiscard]] std::vector<const TraceCollective*> gradient_buckets() const;
};

/// Every step of the trace. Throws TraceError if it has no steps, or no GPU kernels tied to their launches.
std::vector<StepTimes> measure_steps(const Trace& trace, const TraceSteps& steps);

/// The step with the median duration (the shorter of two in the middle).
std::size_t median_step(const std::vector<StepTimes>& steps);

/// The step that people call `wanted`: the number of its ProfilerStep annotation, else counted from 1; nothing where
/// there is none.
std::optional<std::size_t> step_called(const std::string& wanted, const std::vector<StepTimes>& steps,
                                       const TraceSteps& found);

} // namespace gradflight
