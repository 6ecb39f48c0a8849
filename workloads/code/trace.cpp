#include "workloads/code/trace.hpp"

#include "base/letters.hpp"
#include "models/collectives/element_type.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace gradflight {
namespace {

template <class T> void sort_spans(std::vector<T>& spans) {
  // If two spans begin together, the longer one encloses the other.
  std::ranges::stable_sort(
      spans, [](const T& a, const T& b) { return std::tuple(a.begin, -a.end) < std::tuple(b.begin, -b.end); });
}

template <class T> void find_first(const std::vector<T>& spans, double& first) {
  for (const T& span : spans) first = std::min(first, span.begin);
}

template <class T> void shift(std::vector<T>& spans, double by) {
  for (T& span : spans) {
    span.begin -= by;
    span.end -= by;
  }
}

/// Traces list one thread after the other, so their first event is seldom the earliest.
void start_at_zero(Trace& trace) {
  double first = 0;
  find_first(trace.ops, first);
  find_first(trace.kernels, first);
  find_first(trace.annotations, first);
  find_first(trace.messages, first);
  for (const TraceLaunch& launch : trace.launches) first = std::min(first, launch.time);
  shift(trace.ops, first);
  shift(trace.kernels, first);
  shift(trace.annotations, first);
  shift(trace.messages, first);
  for (TraceLaunch& launch : trace.launches) launch.time -= first;
}

} // namespace

void Trace::finish() {
  start_at_zero(*this);
  const auto by_correlation = [](const TraceLaunch& a, const TraceLaunch& b) {
    return std::tuple(a.correlation, a.time) < std::tuple(b.correlation, b.time);
  };
  std::ranges::sort(launches, by_correlation);
  for (TraceKernel& kernel : kernels) {
    const auto at = std::ranges::lower_bound(launches, kernel.correlation, {}, &TraceLaunch::correlation);
    if (at == launches.end() || at->correlation != kernel.correlation) continue;
    kernel.launched = at->time;
    kernel.thread = at->thread;
  }
  launches = {};
  std::ranges::stable_sort(kernels, [](const TraceKernel& a, const TraceKernel& b) {
    return std::tuple(a.launched, a.begin) < std::tuple(b.launched, b.begin);
  });
  sort_spans(ops);
  sort_spans(annotations);
  sort_spans(messages);
}

int dtype_bytes(const std::string& dtype) {
  if (const auto type = element_type_named(dtype)) return type->bytes;
  const std::string name = lower_case(dtype.substr(dtype.rfind(':') + 1)); // c10::Short
  struct Size {
    std::string_view name;
    int bytes;
  };
  constexpr std::array sizes = {Size{"unsigned int", 4}, Size{"long int", 8},    Size{"short", 2}, Size{"int16", 2},
                                Size{"short int", 2},    Size{"signed char", 1}, Size{"bool", 1}};
  const auto found = std::ranges::find(sizes, name, &Size::name);
  return found == sizes.end() ? 0 : found->bytes;
}

} // namespace gradflight
