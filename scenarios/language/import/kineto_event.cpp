#include "scenarios/language/import/kineto_event.hpp"

#include "base/letters.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace gradflight {
namespace {

constexpr double microsecond = 1e-6;
constexpr std::string_view evaluates = "autograd::engine::evaluate_function: ";

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool launches_work(std::string_view call) { return has(call, "Launch") || has(call, "Memcpy") || has(call, "Memset"); }

/// Returns "all_reduce" for "ncclKernel_AllReduce_RING_LL_Sum_float(...)" and "ncclDevKernel_AllReduce_...".
std::string operation_of_kernel(std::string_view name) {
  const auto kernel = name.find("Kernel_");
  if (kernel == std::string_view::npos) return {};
  auto rest = name.substr(kernel + 7);
  rest = rest.substr(0, rest.find_first_of("_("));
  std::string result;
  for (const char c : rest) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isupper(u) != 0 && !result.empty()) result += '_';
    result += static_cast<char>(std::tolower(u));
  }
  return result;
}

/// Returns one spelling for "allreduce" (record_param_comms), "all_reduce" (annotations) and "_all_gather_base".
std::string spelled(std::string operation) {
  operation = lower_case(operation);
  const auto first = operation.find_first_not_of('_');
  operation.erase(0, std::min(first, operation.size()));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> words = {
      {{"allreduce", "all_reduce"},
       {"allgather", "all_gather"},
       {"reducescatter", "reduce_scatter"},
       {"alltoall", "all_to_all"},
       {"all_to_allv", "all_to_all"},
       {"all_gather_base", "all_gather"},
       {"reduce_scatter_base", "reduce_scatter"},
       {"sendrecv", "send_recv"}}};
  for (const auto& [from, to] : words)
    if (operation.starts_with(from)) return std::string(to);
  return operation;
}

} // namespace

KinetoEvents::Category KinetoEvents::category(std::string_view name) {
  if (name.empty()) return Category::other;
  // Versions before PyTorch 1.12 use capitals.
  if (name == "cpu_op" || name == "Operator") return Category::cpu;
  if (name == "user_annotation") return Category::annotation;
  if (name == "cuda_runtime" || name == "cuda_driver" || name == "Runtime") return Category::runtime;
  if (name == "kernel" || name == "gpu_memcpy" || name == "gpu_memset" || name == "Kernel" || name == "Memcpy" ||
      name == "Memset")
    return Category::gpu;
  return Category::other;
}

std::string KinetoEvents::add(KinetoEvent& event) {
  const Category kind = category(event.category);
  if (kind == Category::other) return {};
  if (event.phase == "B")
    return fmt::format("an event of category {} has the phase \"B\"; expected complete events (\"X\"), as PyTorch's "
                       "profiler writes them",
                       event.category);
  if (event.phase != "X") return {};
  if (!event.time) return fmt::format("an event of category {} has no \"ts\"", event.category);
  if (!event.duration && kind == Category::gpu)
    return fmt::format("an event of category {} has no \"dur\"", event.category);
  const double duration = event.duration.value_or(0);
  if (duration < 0) return fmt::format("the duration of an event is {} us; expected 0 or more", duration);
  if (!origin_) origin_ = *event.time;
  const double begin = *event.time - *origin_;
  const TraceSpan span{begin * microsecond, (begin + duration) * microsecond};
  switch (kind) {
  case Category::cpu: add_cpu(event, span); break;
  case Category::annotation: add_annotation(event, span); break;
  case Category::runtime:
    if (event.correlation >= 0 && launches_work(event.name))
      trace_.launches.push_back({span.begin, event.correlation, static_cast<int>(event.thread)});
    break;
  case Category::gpu: add_gpu(event, span); break;
  case Category::other: break;
  }
  return {};
}

void KinetoEvents::add_cpu(const KinetoEvent& event, TraceSpan span) {
  if (event.name == "record_param_comms") return add_message(TraceMessage::From::call, event, span);
  if (event.name.starts_with("ProfilerStep#")) return add_annotation(event, span);
  TraceOp op{span, TraceOp::Kind::forward, event.sequence, static_cast<int>(event.thread), 0};
  if (has(event.name, "AccumulateGrad"))
    op.kind = TraceOp::Kind::accumulate;
  else if (event.name.starts_with(evaluates) || (event.forward_thread > 0 && event.sequence >= 0))
    op.kind = TraceOp::Kind::backward;
  else if (event.sequence < 0 && event.name == "aten::linear")
    op.kind = TraceOp::Kind::composite;
  else if (event.sequence < 0)
    return;
  op.name = intern(event.name);
  trace_.ops.push_back(op);
}

void KinetoEvents::add_annotation(const KinetoEvent& event, TraceSpan span) {
  if (event.name.starts_with("nccl:")) return add_message(TraceMessage::From::annotation, event, span);
  TraceAnnotation annotation{span, event.name, static_cast<int>(event.thread)};
  trace_.annotations.push_back(std::move(annotation));
}

void KinetoEvents::add_gpu(const KinetoEvent& event, TraceSpan span) {
  TraceKernel kernel{span, event.correlation, 0, 0, false, -1, 0};
  kernel.device = static_cast<int>(event.device >= 0 ? event.device : event.process);
  kernel.stream = static_cast<int>(event.stream >= 0 ? event.stream : event.thread);
  kernel.collective = has(event.name, "nccl") || has(event.name, "rccl");
  if (kernel.collective) add_message(TraceMessage::From::kernel, event, span);
  trace_.kernels.push_back(kernel);
}

void KinetoEvents::add_message(TraceMessage::From from, const KinetoEvent& event, TraceSpan span) {
  TraceMessage message{span,
                       from,
                       {},
                       event.dtype,
                       event.elements,
                       static_cast<int>(event.group),
                       event.group_name,
                       static_cast<int>(event.thread),
                       event.correlation};
  message.operation = event.collective;
  if (from == TraceMessage::From::annotation) message.operation = event.name.substr(5); // the name after "nccl:"
  if (from == TraceMessage::From::kernel && message.operation.empty())
    message.operation = operation_of_kernel(event.name);
  message.operation = spelled(message.operation);
  if (message.elements < 0) message.elements = event.dims_elements;
  if (message.dtype.empty()) message.dtype = event.first_type;
  trace_.messages.push_back(std::move(message));
}

std::uint32_t KinetoEvents::intern(const std::string& name) {
  const auto [at, fresh] = name_index_.emplace(name, static_cast<std::uint32_t>(trace_.names.size()));
  if (fresh) trace_.names.push_back(name);
  return at->second;
}

std::size_t KinetoEvents::records() const {
  return trace_.ops.size() + trace_.kernels.size() + trace_.launches.size() + trace_.annotations.size() +
         trace_.messages.size();
}

Trace KinetoEvents::take() {
  name_index_.clear();
  trace_.finish();
  return std::move(trace_);
}

} // namespace gradflight
