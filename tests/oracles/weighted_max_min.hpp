// Max-min fair rates where a flow may use a resource more than once a byte.
//
// A stream of wire rate r through an in-NIC compressor takes c*r of the engine's dense side and r of its output and of
// the wire (c: compression ratio). SimGrid 3.32 cannot express such weights, so this is the solver: progressive filling
// (Bertsekas and Gallager, Data Networks, 6.5.2) over  sum_f weight(f, i) rate(f) <= capacity(i).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gradflight {

/// A flow takes `weight` of `resource` for each unit of its rate. weight >= 0; 0 is no use at all.
struct ResourceUse {
  std::size_t resource = 0;
  double weight = 1;
};

/// Rates grow in proportion to `share` > 0: 1 for all is max-min on rates; a packet's wire bytes make arbiters that
/// take turns by packet. A resource named twice counts twice.
struct WeightedFlow {
  std::vector<ResourceUse> uses;
  double share = 1;
};

/// The rate of each flow: feasible; every flow has a bottleneck, a resource in full use on which no flow has a larger
/// rate / share. A flow without a resource gets infinity, one on a resource of capacity 0 gets 0. O(flows) rounds over
/// all uses at most. Throws std::invalid_argument on a negative or NaN capacity or weight, a share that is not
/// positive, and an index out of range.
std::vector<double> weighted_max_min(std::span<const double> capacities, std::span<const WeightedFlow> flows);

} // namespace gradflight
