// Flow sizes of other users of a network.
//
// web_search and data_mining are the distributions of studies on datacenter transport: M. Alizadeh et al., "Data Center
// TCP (DCTCP)", SIGCOMM 2010, and A. Greenberg et al., "VL2: A Scalable and Flexible Data Center Network", SIGCOMM
// 2009. Their points are those of the simulations of "pFabric: Minimal Near-Optimal Datacenter Transport" (SIGCOMM
// 2013). They are in packets of 1460 bytes, with linear interpolation between them.
#pragma once

#include "models/random/draws.hpp"
#include "models/units/units.hpp"

#include <vector>

namespace gradflight {

/// A share `share` of all flows has at most `bytes` bytes.
struct SizePoint {
  Bytes bytes{};
  double share = 0;
};

struct FlowSizes {
  enum class Kind { web_search, data_mining, exponential, pareto, points };
  Kind kind = Kind::web_search;
  Bytes mean{};                    ///< exponential, pareto: > 0
  double shape = 1.5;              ///< pareto: > 1; smaller values put more of the bytes into few flows
  std::vector<SizePoint> points{}; ///< kind points: bytes and shares grow, and the last share is 1. Sizes are
                                   ///< interpolated linearly; flows of the first share have exactly its bytes
};

/// Returns the points of a kind that has points; else an empty vector.
const std::vector<SizePoint>& size_points(const FlowSizes& sizes);
/// Returns bytes, > 0; the same bits on every machine.
double draw_size(const FlowSizes& sizes, Uniforms& uniform);

} // namespace gradflight
