// What each message of an operation costs by a library, where that is more than the links' own latency and rate.
#pragma once

namespace gradflight {

struct HopCost {
  double seconds = 0;    ///< of a message's latency at least, the links' included; >= 0
  double wire_bytes = 1; ///< on the links, for a byte of data; > 0
};

/// Between GPUs of a node, and between nodes.
struct HopCosts {
  HopCost inside{}, between{};
};

} // namespace gradflight
