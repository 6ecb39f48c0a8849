// What a library's call adds to the weight of a message.
#pragma once

#include "sim/plan/op.hpp"
#include "sim/plan/weight.hpp"

namespace gradflight {

/// `bytes`: of data, after compression. `rate`: of the route. Sets all members but `payload` and `wire`, which already
/// includes HopCost::bytes_on().
inline void weigh_hop(const HopCost& hop, const StepOp& op, double bytes, double rate, Weight& weight) {
  weight.links_share = hop.links_share_on(rate);
  weight.least_alpha = hop.seconds;
  weight.stored = bytes * hop.stored_with(op.primitive) / op.together;
  weight.busy = hop.busy_with(op.primitive);
  weight.ahead = hop.ahead;
  weight.ahead_on_short_ways = hop.ahead_on_short_ways;
  weight.rendezvous = bytes > hop.eager * op.together;
}

} // namespace gradflight
