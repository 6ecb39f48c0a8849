// What a library adds to each message of an operation, beside the links' own latency and rate.
#pragma once

namespace gradflight {

struct HopCost {
  double seconds = 0;    ///< beside the latencies of the links; >= 0
  double wire_bytes = 1; ///< on the links, for a byte of data; > 0
};

/// Between GPUs of a node, and between nodes.
struct HopCosts {
  HopCost inside{}, between{};
};

} // namespace gradflight
