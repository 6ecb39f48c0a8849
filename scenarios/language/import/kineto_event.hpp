// One trace event during parsing, and its conversion.
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

/// Times are in microseconds, as in the file.
struct KinetoEvent {
  std::string phase, category, name;
  std::int64_t process = -1, thread = -1;
  std::optional<double> time, duration;
  // The following members come from "args".
  std::int64_t correlation = -1, sequence = -1, forward_thread = 0, stream = -1, device = -1;
  std::string collective, dtype, group_name;
  std::int64_t elements = -1, group = 0;
  std::int64_t dims_elements = -1; ///< sum over "Input Dims" of the products of sizes
  std::string first_type;          ///< first entry of "Input type"
};

/// Converts events to entries of a Trace.
class KinetoEvents {
public:
  /// Returns an error message, or an empty string. Drops events without relevance to step times.
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
