// Max-min fair rates for flows that may use a resource more than once per byte.
//
// A stream of wire rate r through an in-NIC compressor uses c*r of the engine's dense side, and r of its output and of
// the wire (c: compression ratio). SimGrid 3.32 cannot express such weights, so this is a separate solver: progressive
// filling (Bertsekas and Gallager, Data Networks, 6.5.2) over  sum_f weight(f, i) rate(f) <= capacity(i).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gradflight {

/// A flow uses `weight` of `resource` for each unit of its rate. weight >= 0; 0 means no use.
struct ResourceUse {
  std::size_t resource = 0;
  double weight = 1;
};

/// Rates grow in proportion to `share` > 0. A share of 1 for all gives max-min fair rates. A packet's wire bytes as
/// share model arbiters that alternate by packet. A resource named twice counts twice.
struct WeightedFlow {
  std::vector<ResourceUse> uses;
  double share = 1;
};

/// Returns the rate of each flow. The rates are feasible, and every flow has a bottleneck: a fully used resource on
/// which no flow has a larger rate / share. A flow without a resource gets infinity, and one on a resource of capacity
/// 0 gets 0. Takes at most O(flows) rounds over all uses. Throws std::invalid_argument on a negative or NaN capacity or
/// weight, a share that is not positive, and an index out of range.
std::vector<double> weighted_max_min(std::span<const double> capacities, std::span<const WeightedFlow> flows);

} // namespace gradflight
