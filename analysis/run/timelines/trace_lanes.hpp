// Assigns slices to threads of a trace, so that no two slices of a thread overlap. Internal to analysis/.
#pragma once

#include "sim/result/timeline.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {

enum class LaneKind : std::uint8_t { work, send, receive };

/// A slice in whole nanoseconds, so that consecutive slices on a lane never overlap by rounding.
struct TraceSlice {
  int rank = 0, stream = 0;
  LaneKind kind = LaneKind::work;
  std::size_t record = 0; ///< index into Timeline::intervals (work) or ::transfers (send, receive)
  std::int64_t begin = 0, end = 0;
  int thread = 0; ///< index into TraceLanes::threads
};

struct TraceThread {
  int rank, stream;
  LaneKind kind;
  int lane; ///< 0, 1, ... among the lanes of one rank, stream and kind
  [[nodiscard]] std::string name() const;
};

struct TraceLanes {
  std::vector<TraceSlice> slices;   ///< sorted by rank, stream, kind, begin
  std::vector<TraceThread> threads; ///< sorted by rank, stream, kind, lane
};

std::int64_t trace_nanoseconds(double seconds);
/// Uses the ranks that are `shown`; empty: all.
TraceLanes assign_lanes(const Timeline& timeline, const std::vector<bool>& shown = {});

} // namespace gradflight
