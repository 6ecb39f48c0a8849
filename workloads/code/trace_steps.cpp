#include "workloads/code/trace_steps.hpp"

#include "base/letters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace gradflight {
namespace {

using NameFilter = std::function<bool(const std::string&)>;

bool contains(const std::string& text, std::string_view word) {
  return lower_case(text).find(word) != std::string::npos;
}

bool is_optimizer(const std::string& name) { return contains(name, "optimizer") && !contains(name, "zero_grad"); }

/// Skips annotations within another one of the same kind.
std::vector<const TraceAnnotation*> outermost(const Trace& trace, const NameFilter& wanted) {
  std::vector<const TraceAnnotation*> found;
  std::map<int, double> open_until;                             // by thread
  for (const TraceAnnotation& annotation : trace.annotations) { // sorted by begin, longer ones first
    if (!wanted(annotation.name)) continue;
    const auto open = open_until.find(annotation.thread);
    if (open != open_until.end() && annotation.begin < open->second) continue;
    open_until[annotation.thread] = annotation.end;
    found.push_back(&annotation);
  }
  return found;
}

double last_event(const Trace& trace) {
  double last = 0;
  for (const TraceOp& op : trace.ops) last = std::max(last, op.end);
  for (const TraceKernel& kernel : trace.kernels) last = std::max(last, kernel.end);
  for (const TraceAnnotation& annotation : trace.annotations) last = std::max(last, annotation.end);
  return last;
}

double first_event(const Trace& trace) {
  double first = trace.annotations.front().begin;
  if (!trace.ops.empty()) first = std::min(first, trace.ops.front().begin);
  return first;
}

/// The optimizer's annotations determine where each step's update ends.
void set_update_ends(std::vector<TraceStep>& steps, const Trace& trace) {
  const auto optimizers = outermost(trace, is_optimizer);
  for (TraceStep& step : steps) {
    step.update_end = step.end;
    double last = -1;
    for (const TraceAnnotation* optimizer : optimizers)
      if (optimizer->begin >= step.begin && optimizer->begin < step.end) last = std::max(last, optimizer->end);
    if (last >= 0) step.update_end = std::min(last, step.end);
  }
}

} // namespace

TraceSteps find_steps(const Trace& trace) {
  TraceSteps result;
  const auto profiled = outermost(trace, [](const std::string& name) { return name.starts_with("ProfilerStep#"); });
  const auto forward = outermost(trace, [](const std::string& name) { return contains(name, "forward"); });
  const auto updates = outermost(trace, is_optimizer);
  if (!profiled.empty()) {
    result.found_by = "ProfilerStep#N annotations";
    for (const TraceAnnotation* step : profiled) result.steps.push_back({{step->begin, step->end}, step->name, 0});
  } else if (!forward.empty()) {
    result.found_by = "forward annotations (a step lasts to the next one)";
    const double end = last_event(trace);
    for (std::size_t i = 0; i < forward.size(); ++i)
      result.steps.push_back(
          {{forward[i]->begin, i + 1 < forward.size() ? forward[i + 1]->begin : end}, forward[i]->name, 0});
  } else if (!updates.empty()) {
    result.found_by = "optimizer annotations (a step lasts from the end of one to the end of the next)";
    double begin = first_event(trace);
    for (const TraceAnnotation* update : updates) {
      result.steps.push_back({{begin, update->end}, update->name, 0});
      begin = update->end;
    }
  } else {
    throw TraceError("the trace has no step annotations: neither ProfilerStep#N nor a name that contains \"forward\" "
                     "or \"optimizer\". Call profiler.step() after each step, or wrap the forward pass in "
                     "torch.profiler.record_function(\"forward\")");
  }
  for (std::size_t i = 1; i < result.steps.size(); ++i) // annotations of two threads may overlap
    if (result.steps[i].begin < result.steps[i - 1].end) result.steps[i - 1].end = result.steps[i].begin;
  set_update_ends(result.steps, trace);
  return result;
}

} // namespace gradflight
