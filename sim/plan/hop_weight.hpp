// What a library's call adds to the weight of a message.
#pragma once

#include "sim/plan/op.hpp"
#include "sim/plan/weight.hpp"

namespace gradflight {

/// `bytes`: of data, after compression. Sets all members but `payload` and `wire`, which already includes
/// hop.wire_bytes.
inline void weigh_hop(const HopCost& hop, const StepOp& op, double bytes, Weight& weight) {
  weight.links_share = hop.links_share();
  weight.least_alpha = hop.seconds;
  weight.stored = bytes * hop.stored_with(op.primitive) / op.together;
  weight.busy = hop.busy_with(op.primitive);
  weight.ahead = hop.ahead;
  weight.ahead_on_short_ways = hop.ahead_on_short_ways;
  weight.answers = bytes > hop.eager * op.together ? 2 : 0;
}

} // namespace gradflight
