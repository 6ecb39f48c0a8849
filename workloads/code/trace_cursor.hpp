// The progress of the GPU in a step; the kernels of one part after the other advance it.
#pragma once

#include "workloads/code/trace_times.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

namespace gradflight {

class GpuCursor {
public:
  /// Time before `begin` does not count as part of the step.
  explicit GpuCursor(double begin) : at_(begin), busy_{{-std::numeric_limits<double>::infinity(), begin}} {}
  [[nodiscard]] double at() const { return at_; }

  /// Returns the part of the step that consists of these kernels; it ends with the last of them.
  TracePart advance(const std::vector<const TraceKernel*>& kernels) {
    TracePart part;
    double end = at_;
    for (const TraceKernel* kernel : kernels) {
      part.busy += run(*kernel);
      end = std::max(end, kernel->end);
    }
    part.span = end - at_;
    at_ = end;
    return part;
  }

  /// Moves the cursor to `time` and returns the idle time until then.
  double wait_until(double time) {
    const double waited = std::max(0.0, time - at_);
    at_ += waited;
    return waited;
  }

private:
  /// Returns the time of a kernel that does not overlap earlier ones. With several streams, a kernel of a later part
  /// may have run before.
  double run(const TraceSpan& kernel) {
    if (kernel.end <= kernel.begin) return 0;
    auto next = busy_.upper_bound(kernel.begin);
    if (next != busy_.begin() && std::prev(next)->second >= kernel.begin) --next;
    TraceSpan all{kernel.begin, kernel.end};
    double alone = 0, until = kernel.begin;
    for (; next != busy_.end() && next->first <= kernel.end; next = busy_.erase(next)) {
      alone += std::max(0.0, next->first - until);
      until = std::max(until, next->second);
      all = {std::min(all.begin, next->first), std::max(all.end, next->second)};
    }
    busy_.emplace(all.begin, all.end);
    return alone + std::max(0.0, kernel.end - until);
  }

  double at_;
  std::map<double, double> busy_; ///< times with a running kernel: disjoint, from begin to end
};

} // namespace gradflight
