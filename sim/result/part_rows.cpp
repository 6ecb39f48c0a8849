#include "sim/result/result.hpp"

#include <numeric>

namespace gradflight {

const std::array<PartRow, part_count>& part_rows() {
  static constexpr std::array<PartRow, part_count> rows = {{
      {"compute", "Forward and backward passes."},
      {"update", "The optimiser."},
      {"alpha", "The platform's message_overhead and the latencies of links."},
      {"beta", "Bytes over the bandwidth of the route's bottleneck, alone on it."},
      {"contention", "Time that messages add to beta because they share links with each other."},
      {"nic_pipeline",
       "A compressing NIC's delay before the first byte is on the wire and after the last one is off it."},
      {"nic_engine", "Time that its engine adds to beta if it is slower than the wire."},
      {"gamma", "Reductions."},
      {"merge", "Top-k merges."},
      {"codec", "Encoding and decoding on a GPU or CPU."},
      {"host", "Copies, conversions, selection: the scenario's costs."},
      {"queue", "0. A wait for a busy GPU, CPU, copy engine or reducer counts as what keeps it busy."},
      {"interference", "Extra time of messages beside compute (platform.rate_while_computing)."},
      {"traffic", "Time that flows of other users (`traffic`) on shared links add to beta."},
      {"outage", "Waiting for links that are down."},
  }};
  return rows;
}

bool apart(const Path& earlier, const Path& later) {
  const double rounding = 1e-12 * std::accumulate(later.begin(), later.end(), 0.0);
  for (std::size_t part = 0; part < part_count; ++part)
    if (later[part] < earlier[part] - rounding) return true;
  return false;
}

const char* part_name(Part part) { return part_rows()[static_cast<std::size_t>(part)].name; }

} // namespace gradflight
