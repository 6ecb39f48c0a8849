// What each message of an operation costs by a library, where that is more than the links' own latency and rate.
#pragma once

#include <limits>

namespace gradflight {

struct HopCost {
  double seconds = 0;    ///< of a message's latency at least, the links' included; >= 0
  double wire_bytes = 1; ///< on the links, for a byte of data; > 0
  /// Of these, what the links themselves take. The rest is the protocol's, or stands for what channels cannot fill.
  double links_bytes = 1;
  /// Bytes of data. A message of more asks its receiver first, which takes two of its way's latencies more.
  double eager = std::numeric_limits<double>::infinity();
  int ahead = 0; ///< messages that a sender is ahead of its receiver at most, where that binds (Weight); 0: any number
  double post = 0; ///< seconds for which a message waits after each that its rank has posted before it; >= 0
};

/// Between GPUs of a node, and between nodes.
struct HopCosts {
  HopCost inside{}, between{};
  /// Bytes per second at which a rank takes what it keeps and does not pass on (LaneStep::kept), sending nothing
  /// meanwhile; 0: at once.
  double copy_rate = 0;
};

} // namespace gradflight
