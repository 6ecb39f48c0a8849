#include "workloads/code/trace_collectives.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace gradflight {
namespace {

bool within(const TraceMessage& inner, const TraceMessage& outer) {
  return inner.thread == outer.thread && inner.begin >= outer.begin && inner.end <= outer.end;
}

/// Adds missing data from another event of the same collective.
void add(TraceCall& to, const TraceMessage& from) {
  if (to.operation.empty()) to.operation = from.operation;
  if (to.group_name.empty()) to.group_name = from.group_name;
  if (to.group == 0) to.group = from.group;
  if (to.elements < 0 && from.elements >= 0) {
    to.elements = from.elements;
    to.dtype = from.dtype;
  }
}

TraceCall begin_call(const TraceMessage& message) {
  TraceCall call;
  call.issued = message.begin;
  call.thread = message.thread;
  add(call, message);
  return call;
}

} // namespace

std::vector<TraceCall> find_collectives(const Trace& trace) {
  // A call encloses its annotation. Calls without an annotation move no data (waits, bookkeeping of barriers), unless
  // the trace has no annotations at all.
  std::vector<const TraceMessage*> calls, annotations;
  for (const TraceMessage& message : trace.messages) {
    if (message.from == TraceMessage::From::call) calls.push_back(&message);
    if (message.from == TraceMessage::From::annotation) annotations.push_back(&message);
  }
  const auto& bases = annotations.empty() ? calls : annotations;
  struct Base {
    const TraceMessage* message;
    TraceCall call;
  };
  std::vector<Base> found;
  std::map<int, const TraceMessage*> open; // the last call on each thread; both lists are sorted by begin
  std::size_t next = 0;
  for (const TraceMessage* base : bases) {
    for (; next < calls.size() && calls[next]->begin <= base->begin; ++next) open[calls[next]->thread] = calls[next];
    Base entry{base, begin_call(*base)};
    const auto call = open.find(base->thread);
    if (call != open.end() && within(*base, *call->second)) {
      entry.call.issued = call->second->begin;
      add(entry.call, *call->second);
    }
    found.push_back(std::move(entry));
  }

  std::map<std::int64_t, const TraceMessage*> kernel_messages;
  for (const TraceMessage& message : trace.messages)
    if (message.from == TraceMessage::From::kernel) kernel_messages[message.correlation] = &message;
  std::map<int, std::vector<std::size_t>> of_thread;
  for (std::size_t i = 0; i < found.size(); ++i) of_thread[found[i].message->thread].push_back(i);
  std::vector<TraceCall> result;
  for (const TraceKernel& kernel : trace.kernels) {
    if (!kernel.collective) continue;
    const auto message = kernel_messages.find(kernel.correlation);
    const auto thread = of_thread.find(kernel.thread);
    Base* owner = nullptr;
    if (kernel.launched >= 0 && thread != of_thread.end()) {
      const auto& mine = thread->second;
      auto at =
          std::ranges::upper_bound(mine, kernel.launched, {}, [&](std::size_t i) { return found[i].message->begin; });
      if (at != mine.begin() && found[*--at].message->end >= kernel.launched) owner = &found[*at];
    }
    TraceCall alone;
    if (owner == nullptr) {
      alone.issued = kernel.launched >= 0 ? kernel.launched : kernel.begin;
      alone.thread = kernel.thread;
    }
    TraceCall& call = owner != nullptr ? owner->call : alone;
    if (message != kernel_messages.end()) add(call, *message->second);
    call.stream = kernel.stream;
    if (!call.kernel) call.kernel = TraceSpan{kernel.begin, kernel.end};
    call.kernel->begin = std::min(call.kernel->begin, kernel.begin);
    call.kernel->end = std::max(call.kernel->end, kernel.end);
    if (owner == nullptr) result.push_back(alone);
  }
  for (Base& entry : found) result.push_back(std::move(entry.call));
  for (TraceCall& call : result) {
    if (call.group == 0) call.group = trace.world_size;
    const int size = dtype_bytes(call.dtype);
    if (call.elements >= 0 && size > 0) call.bytes = static_cast<double>(call.elements) * size;
  }
  std::ranges::stable_sort(result, {}, &TraceCall::issued);
  return result;
}

} // namespace gradflight
