// PyTorch profiler (Kineto) traces: Chrome's trace-event JSON, plain or gzip, read as a stream.
#pragma once

#include "workloads/code/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace gradflight {

struct KinetoLimits {
  std::size_t records = 10'000'000;  ///< operators, kernels, ... kept; most events of a trace are not
  std::size_t value_bytes = 1 << 20; ///< text of one key or value
};

struct KinetoTrace {
  Trace trace;
  std::uint64_t bytes = 0, events = 0; ///< unpacked; all events, kept or not
};

/// Memory grows with the kernels, launches and differentiable operators (about 50 bytes each), not with the text.
/// Throws InputErrors: unreadable or truncated file, malformed JSON, a member of the wrong type, a limit exceeded.
KinetoTrace read_kineto(const std::string& path, const KinetoLimits& limits = {});

} // namespace gradflight
