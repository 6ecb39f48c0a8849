// How far measured calls of libraries for GPUs lay from simulated ones.
#pragma once

#include "platforms/code/spec/node_spec.hpp"

#include <array>
#include <cstdint>

namespace gradflight {

/// Of all measured calls of some sizes, the 5th and the 95th percentile of measured over simulated time.
struct MeasuredSpread {
  double least = 0, most = 0;
  int cases = 0;
};

/// Classes of sizes, in bytes: the first one ends below `spread_ends[0]`, the last one has no end.
inline constexpr std::array<std::int64_t, 2> spread_ends = {65536, 4194304};

/// Of machines that have something in common.
struct MeasuredSpreads {
  const char* like = nullptr; ///< "with a NIC for each GPU"
  int machines = 0;
  std::array<MeasuredSpread, spread_ends.size() + 1> by_size{};
};

/// Of measured machines like `node`, simulated with their catalogue entries and documented facts, with nothing fitted
/// to any of them: calls inside a node, or between nodes of machines with the same way to the NIC. Null: fewer than two
/// such machines were measured. docs/measured.md has the source, and tests/reproduce/check_measured.py computes it
/// anew.
const MeasuredSpreads* measured_spreads(const NodeSpec& node, int nodes);

} // namespace gradflight
