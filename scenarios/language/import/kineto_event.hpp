// One trace event while it is being read, and what becomes of it.
#pragma once

#include "workloads/code/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gradflight {

/// Sizes in microseconds as written.
struct KinetoEvent {
  std::string phase, category, name;
  std::int64_t process = -1, thread = -1;
  std::optional<double> time;
  double duration = 0;
  // args
  std::int64_t correlation = -1, sequence = -1, forward_thread = 0, stream = -1, device = -1;
  std::string collective, dtype, group_name;
  std::int64_t elements = -1, group = 0;
  std::int64_t dims_elements = -1; ///< sum over "Input Dims", products of sizes
  std::string first_type;          ///< of "Input type"
};

/// Sorts events into a Trace.
class KinetoEvents {
public:
  /// An error message, or nothing. Events that tell nothing about step times are dropped.
  std::string add(KinetoEvent& event);
  [[nodiscard]] std::size_t records() const;
  Trace take();
  Trace& trace() { return trace_; }

private:
  enum class Category { cpu, annotation, runtime, gpu, other };
  static Category category(std::string_view name);
  void add_cpu(const KinetoEvent& event, TraceSpan span);
  void add_annotation(const KinetoEvent& event, TraceSpan span);
  void add_gpu(const KinetoEvent& event, TraceSpan span);
  void add_message(TraceMessage::From from, const KinetoEvent& event, TraceSpan span);
  std::uint32_t intern(const std::string& name);

  Trace trace_;
  std::unordered_map<std::string, std::uint32_t> name_index_;
  std::optional<double> origin_;
};

} // namespace gradflight
