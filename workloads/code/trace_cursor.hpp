// How far the GPU has come in a step, advanced by the kernels of one part after the other.
#pragma once

#include "workloads/code/trace_times.hpp"

#include <algorithm>
#include <vector>

namespace gradflight {

class GpuCursor {
public:
  explicit GpuCursor(double begin) : at_(begin), busy_until_(begin) {}
  [[nodiscard]] double at() const { return at_; }

  /// The part that these kernels are: ends with the last of them.
  TracePart advance(std::vector<const TraceKernel*> kernels) {
    std::ranges::stable_sort(kernels, {}, [](const TraceKernel* kernel) { return kernel->begin; });
    TracePart part;
    double end = at_;
    for (const TraceKernel* kernel : kernels) {
      part.busy += std::max(0.0, kernel->end - std::max(kernel->begin, busy_until_));
      busy_until_ = std::max(busy_until_, kernel->end);
      end = std::max(end, kernel->end);
    }
    part.span = end - at_;
    at_ = end;
    return part;
  }

  /// Time that is nobody's kernel, up to `time`.
  double wait_until(double time) {
    const double waited = std::max(0.0, time - at_);
    at_ += waited;
    return waited;
  }

private:
  double at_, busy_until_;
};

} // namespace gradflight
