// What `import` reads: a row for each format of recorded traces. A new one is a reader and a row here.
#pragma once

#include "workloads/code/trace.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gradflight {

struct RecordedTrace {
  Trace trace;
  std::uint64_t bytes = 0, events = 0; ///< unpacked; all events, kept or not
  std::uint64_t not_finite = 0;        ///< numbers that are NaN or infinite, none of which is needed
};

struct TraceFormat {
  const char* name;     ///< on the command line
  const char* what;     ///< for the help: what writes it, and how it may be packed
  const char* recorder; ///< for a workload's `source`
  /// Throws InputErrors with what is wrong with the file.
  RecordedTrace (*read)(const std::string& path);
};

std::span<const TraceFormat> trace_formats();
/// `name` must be that of a format.
const TraceFormat& trace_format(const std::string& name);
std::vector<std::string> trace_format_names();

} // namespace gradflight
