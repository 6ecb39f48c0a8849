#include "workloads/code/trace_times.hpp"

#include "base/parse_number.hpp"
#include "workloads/code/trace_collectives.hpp"
#include "workloads/code/trace_cursor.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <unordered_map>
#include <utility>

namespace gradflight {
namespace {

using Kernels = std::vector<const TraceKernel*>;

/// An outermost operator of a step. It owns the kernels launched before the next operator on its thread.
struct Outer {
  const TraceOp* op;
  double until = 0;
};

/// Measures one step. The CPU determines the parts, by the launch times of kernels; the GPU determines their durations.
class StepMeasurer {
public:
  StepMeasurer(const Trace& trace, const TraceStep& step, double prelude_begin) : trace_(trace), step_(step) {
    sort_operators();
    take_kernels(prelude_begin);
  }

  StepTimes measure(double begin, const std::vector<TraceCall>& collectives) {
    times_.name = step_.name;
    times_.begin = begin;
    times_.has_backward = !backward_.empty();
    take_collectives(collectives);
    GpuCursor cursor(begin);
    measure_forward(cursor);
    measure_backward(cursor);
    measure_update(cursor);
    return std::move(times_);
  }

private:
  [[nodiscard]] double backward_begin() const {
    return backward_.empty() ? step_.update_end : backward_.front().op->begin;
  }
  [[nodiscard]] double backward_end() const { return backward_.empty() ? step_.update_end : backward_.back().op->end; }

  void sort_operators() {
    const auto first = std::ranges::lower_bound(trace_.ops, step_.begin, {}, &TraceOp::begin);
    std::map<int, const TraceOp*> open; // the outermost operator on each thread
    std::vector<const TraceOp*> nested;
    for (auto op = first; op != trace_.ops.end() && op->begin < step_.end; ++op) {
      const bool differentiates = op->kind == TraceOp::Kind::backward || op->kind == TraceOp::Kind::accumulate;
      const auto outer = open.find(op->thread);
      if (outer != open.end() && op->begin < outer->second->end) {
        if (!differentiates) outer_of_[op->sequence] = outer->second;
        continue;
      }
      open[op->thread] = &*op;
      if (differentiates) {
        backward_.push_back({&*op});
      } else {
        forward_.push_back({&*op});
        outer_of_[op->sequence] = &*op; // if operators share a number, the last one created the autograd node
      }
    }
    std::erase_if(forward_, [&](const Outer& outer) { return outer.op->begin >= backward_begin(); });
    outer_of_.erase(-1);
    std::map<int, double> next; // begin of the next operator on each thread
    for (auto outer = backward_.rbegin(); outer != backward_.rend(); ++outer) {
      outer->until = next.try_emplace(outer->op->thread, outer->op->end).first->second;
      next[outer->op->thread] = outer->op->begin;
    }
    keep_layers();
  }

  /// Keeps the forward operators that autograd differentiated (without a backward pass, all with kernels).
  void keep_layers() {
    if (backward_.empty()) return;
    std::unordered_map<const TraceOp*, bool> tied;
    for (const Outer& outer : backward_)
      if (const TraceOp* forward = forward_of(*outer.op)) tied[forward] = true;
    std::erase_if(forward_, [&](const Outer& outer) { return !tied.contains(outer.op); });
  }

  [[nodiscard]] const TraceOp* forward_of(const TraceOp& backward) const {
    const auto at = outer_of_.find(backward.sequence);
    return backward.sequence < 0 || at == outer_of_.end() ? nullptr : at->second;
  }

  void take_kernels(double from) {
    const auto first = std::ranges::lower_bound(trace_.kernels, from, {}, &TraceKernel::launched);
    for (auto kernel = first; kernel != trace_.kernels.end() && kernel->launched < step_.update_end; ++kernel)
      if (!kernel->collective) kernels_.push_back(&*kernel);
  }

  /// Returns the kernels in kernels_ launched in [from, to), on `thread`, or on any thread if that is negative.
  [[nodiscard]] Kernels launched(double from, double to, int thread = -1) const {
    Kernels found;
    const auto at = [](const TraceKernel* kernel) { return kernel->launched; };
    for (auto k = std::ranges::lower_bound(kernels_, from, {}, at); k != kernels_.end() && (*k)->launched < to; ++k)
      if (thread < 0 || (*k)->thread == thread) found.push_back(*k);
    return found;
  }

  void take_collectives(const std::vector<TraceCall>& collectives) {
    const auto first = std::ranges::lower_bound(collectives, step_.begin, {}, &TraceCall::issued);
    for (auto call = first; call != collectives.end() && call->issued < step_.end; ++call) {
      times_.collectives.push_back(*call);
      TraceCollective& taken = times_.collectives.back();
      taken.gradient = taken.operation == "all_reduce" && !backward_.empty() && call->issued >= backward_begin() &&
                       call->issued <= backward_end();
      if (taken.gradient) issued_.push_back(taken.issued);
    }
  }

  void measure_forward(GpuCursor& cursor) {
    const double end = backward_begin();
    if (!backward_.empty()) drop_silent_layers_ = false;
    Kernels prelude = kernels_;
    const double first = forward_.empty() ? end : forward_.front().op->begin;
    std::erase_if(prelude, [&](const TraceKernel* kernel) { return kernel->launched >= first; });
    times_.before = cursor.advance(prelude);
    const Kernels rest = launched(first, end);
    if (!rest.empty()) {
      const auto earliest = std::ranges::min(rest, {}, [](const TraceKernel* kernel) { return kernel->begin; });
      times_.before.span += cursor.wait_until(earliest->begin);
    }
    double from = first;
    for (const Outer& outer : forward_) {
      const Kernels mine = launched(from, outer.op->end);
      from = outer.op->end;
      if (mine.empty() && drop_silent_layers_) continue;
      layer_of_[outer.op] = times_.layers.size();
      TraceLayer layer;
      layer.op = trace_.names[outer.op->name];
      layer.forward = cursor.advance(mine);
      times_.layers.push_back(std::move(layer));
    }
    times_.after_forward = cursor.advance(launched(from, end));
  }

  void measure_backward(GpuCursor& cursor) {
    times_.backward_end = cursor.at();
    if (backward_.empty()) return;
    times_.bucket_backward.resize(std::max<std::size_t>(issued_.size(), 1));
    std::vector<double> ready(issued_.size(), -1);
    TraceLayer* layer = nullptr;
    for (const Outer& outer : backward_) {
      const auto bucket =
          static_cast<std::size_t>(std::ranges::lower_bound(issued_, outer.op->begin) - issued_.begin());
      if (const TraceOp* forward = forward_of(*outer.op))
        if (const auto known = layer_of_.find(forward); known != layer_of_.end()) layer = &times_.layers[known->second];
      const TracePart part = cursor.advance(launched(outer.op->begin, outer.until, outer.op->thread));
      TracePart& cut = times_.bucket_backward[std::min(bucket, times_.bucket_backward.size() - 1)];
      cut.span += part.span;
      cut.busy += part.busy;
      if (layer == nullptr) { // belongs to the loss, outside of any operator
        times_.loss_backward.span += part.span;
        times_.loss_backward.busy += part.busy;
        continue;
      }
      layer->backward.span += part.span;
      layer->backward.busy += part.busy;
      if (layer->bucket < 0) layer->bucket = static_cast<int>(bucket);
      if (outer.op->kind != TraceOp::Kind::accumulate) continue;
      ++layer->gradients;
      layer->ready = cursor.at();
      if (bucket < ready.size()) ready[bucket] = cursor.at();
    }
    times_.backward_end = cursor.at();
    auto next = ready.begin();
    for (TraceCollective& collective : times_.collectives)
      if (collective.gradient) collective.ready = *next++;
  }

  void measure_update(GpuCursor& cursor) {
    times_.communication_end = times_.backward_end;
    for (const TraceCollective& collective : times_.collectives)
      if (collective.gradient && collective.kernel)
        times_.communication_end = std::max(times_.communication_end, collective.kernel->end);
    times_.end = times_.communication_end;
    if (backward_.empty()) return;
    // Buckets that are complete early are copied while the last is still in transit: these kernels count as busy, but
    // not in the span.
    GpuCursor early = cursor;
    cursor.wait_until(times_.communication_end);
    const Kernels kernels = launched(backward_end(), step_.update_end);
    times_.update.busy = early.advance(kernels).busy;
    times_.update.span = cursor.advance(kernels).span;
    times_.end = cursor.at();
  }

  const Trace& trace_;
  const TraceStep& step_;
  std::vector<Outer> forward_, backward_;
  std::unordered_map<std::int64_t, const TraceOp*> outer_of_; ///< sequence number to forward operator
  std::unordered_map<const TraceOp*, std::size_t> layer_of_;
  Kernels kernels_;
  std::vector<double> issued_; ///< issue times of gradient all-reduces on the CPU
  bool drop_silent_layers_ = true;
  StepTimes times_;
};

/// Returns when the GPU has finished the kernels launched before `time`.
double busy_until(const Trace& trace, double time) {
  double end = 0;
  for (const TraceKernel& kernel : trace.kernels)
    if (kernel.launched >= 0 && kernel.launched < time && !kernel.collective) end = std::max(end, kernel.end);
  return end;
}

/// A rank computes on one GPU. Others may appear in copies between GPUs, which take little time.
void require_one_gpu(const Trace& trace) {
  std::map<int, double> seconds; // of the kernels of each GPU
  for (const TraceKernel& kernel : trace.kernels) seconds[kernel.device] += kernel.end - kernel.begin;
  if (seconds.size() < 2) return;
  const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::ranges::max_element(seconds, by_time);
  constexpr double little = 0.01;
  for (const auto& [gpu, time] : seconds)
    if (gpu != most->first && time > little * most->second)
      throw TraceError(fmt::format("the trace has kernels of GPU {} and of GPU {}, but a workload is that of one rank: "
                                   "record each rank in its own process",
                                   std::min(gpu, most->first), std::max(gpu, most->first)));
}

} // namespace

double StepTimes::forward() const {
  double sum = 0;
  for (const TraceLayer& layer : layers) sum += layer.forward.span;
  return sum + after_forward.span;
}

double StepTimes::backward() const {
  double sum = 0;
  for (const TracePart& part : bucket_backward) sum += part.span;
  return sum;
}

std::vector<const TraceCollective*> StepTimes::gradient_buckets() const {
  std::vector<const TraceCollective*> buckets;
  for (const TraceCollective& collective : collectives)
    if (collective.gradient) buckets.push_back(&collective);
  return buckets;
}

std::vector<StepTimes> measure_steps(const Trace& trace, const TraceSteps& steps) {
  if (trace.kernels.empty())
    throw TraceError(
        "the trace has no GPU kernels: record it with ProfilerActivity.CUDA and with the model on the GPU");
  if (std::ranges::none_of(trace.kernels, [](const TraceKernel& kernel) { return kernel.launched >= 0; }))
    throw TraceError("the trace lacks the events of the CUDA runtime, so kernels cannot be matched to the CPU calls "
                     "that launched them");
  require_one_gpu(trace);
  const std::vector<TraceCall> collectives = find_collectives(trace);
  std::vector<StepTimes> result;
  double prelude = 0, window_end = 0;
  for (const TraceStep& step : steps.steps) {
    // A step lasts from its predecessor's end on the GPU to its own end. The first step, and a step after a pause of
    // the profiler, begin with their annotation. They begin later if the GPU is still busy with earlier kernels.
    constexpr double pause = 1e-3;
    const bool follows = !result.empty() && step.begin - window_end < pause;
    const double begin = follows ? result.back().end : std::max(step.begin, busy_until(trace, step.begin));
    if (!follows) prelude = step.begin;
    result.push_back(StepMeasurer(trace, step, prelude).measure(begin, collectives));
    prelude = step.update_end;
    window_end = step.end;
  }
  return result;
}

std::size_t median_step(const std::vector<StepTimes>& steps) {
  std::vector<std::size_t> order(steps.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return steps[i].end - steps[i].begin; });
  return order.at((order.size() - 1) / 2);
}

std::optional<std::size_t> step_called(const std::string& wanted, const std::vector<StepTimes>& steps,
                                       const TraceSteps& found) {
  if (found.found_by.starts_with("ProfilerStep")) {
    const auto at = std::ranges::find(steps, "ProfilerStep#" + wanted, &StepTimes::name);
    if (at == steps.end()) return std::nullopt;
    return static_cast<std::size_t>(at - steps.begin());
  }
  const auto number = parse_number<std::size_t>(wanted);
  if (!number || *number < 1 || *number > steps.size()) return std::nullopt;
  return *number - 1;
}

} // namespace gradflight
