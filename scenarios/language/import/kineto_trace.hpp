// Reads PyTorch profiler (Kineto) traces as a stream: Chrome's trace-event JSON, plain or gzip.
#pragma once

#include "scenarios/language/import/trace_formats.hpp"

#include <cstddef>
#include <string>

namespace gradflight {

struct KinetoLimits {
  std::size_t records = 10'000'000;  ///< stored operators, kernels, ...; most events of a trace are not stored
  std::size_t value_bytes = 1 << 20; ///< text of one key or value
};

/// Memory grows with the kernels, launches and differentiable operators (about 50 bytes each), not with the text.
/// Throws InputErrors for an unreadable or truncated file, malformed JSON, a member of the wrong type, or an exceeded
/// limit.
RecordedTrace read_kineto(const std::string& path, const KinetoLimits& limits = {});

} // namespace gradflight
