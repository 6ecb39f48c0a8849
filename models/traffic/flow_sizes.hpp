// How large flows of a network's other users are.
//
// web_search and data_mining are the distributions that studies of datacenter transport use: M. Alizadeh et al., "Data
// Center TCP (DCTCP)", SIGCOMM 2010, and A. Greenberg et al., "VL2: A Scalable and Flexible Data Center Network",
// SIGCOMM 2009, as the points that the simulations of "pFabric: Minimal Near-Optimal Datacenter Transport" (SIGCOMM
// 2013) took of them, in packets of 1460 bytes, with straight lines between.
#pragma once

#include "models/random/draws.hpp"
#include "models/units/units.hpp"

#include <vector>

namespace gradflight {

/// So many of all flows, as a share, have at most so many bytes.
struct SizePoint {
  Bytes bytes{};
  double share = 0;
};

struct FlowSizes {
  enum class Kind { web_search, data_mining, exponential, pareto, points };
  Kind kind = Kind::web_search;
  Bytes mean{};                    ///< exponential, pareto: > 0
  double shape = 1.5;              ///< pareto: > 1; the smaller, the more is in few flows
  std::vector<SizePoint> points{}; ///< of kind points: both grow, the last share is 1; straight lines between, and what
                                   ///< the first has is all of its size
};

/// The points of a kind that has some; else empty.
const std::vector<SizePoint>& size_points(const FlowSizes& sizes);
/// Bytes, > 0; the same bits on every machine.
double draw_size(const FlowSizes& sizes, Uniforms& uniform);
double mean_size(const FlowSizes& sizes);

} // namespace gradflight
