// How far the GPU has come in a step, advanced by the kernels of one part after the other.
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
  /// What ran before `begin` is the step's before.
  explicit GpuCursor(double begin) : at_(begin), busy_{{-std::numeric_limits<double>::infinity(), begin}} {}
  [[nodiscard]] double at() const { return at_; }

  /// The part that these kernels are: ends with the last of them.
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

  /// Time that is nobody's kernel, up to `time`.
  double wait_until(double time) {
    const double waited = std::max(0.0, time - at_);
    at_ += waited;
    return waited;
  }

private:
  /// How much of a kernel no other one was running beside so far: with several streams a later part's may run before.
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
  std::map<double, double> busy_; ///< with a kernel running: disjoint, end by begin
};

} // namespace gradflight
