// The trace formats of `import`, one row each. A new format needs a reader and a row here.
#pragma once

#include "workloads/code/trace.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gradflight {

struct RecordedTrace {
  Trace trace;
  std::uint64_t bytes = 0, events = 0; ///< decompressed bytes; all events, stored or not
  std::uint64_t not_finite = 0;        ///< numbers that are NaN or infinite; none of them is needed
};

struct TraceFormat {
  const char* name;     ///< on the command line
  const char* what;     ///< for the help: the program that writes it, and possible compression
  const char* recorder; ///< for a workload's `source`
  /// Throws InputErrors if the file is not valid.
  RecordedTrace (*read)(const std::string& path);
};

std::span<const TraceFormat> trace_formats();
/// `name` must be the name of a format.
const TraceFormat& trace_format(const std::string& name);
std::vector<std::string> trace_format_names();

} // namespace gradflight
