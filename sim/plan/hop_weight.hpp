// What a library's call adds to the weight of a message.
#pragma once

#include "sim/plan/op.hpp"
#include "sim/plan/weight.hpp"

namespace gradflight {

/// `bytes`: of data, after compression. `on_links`: HopCost::bytes_on() the route. Sets all members but `payload` and
/// `wire`, which already includes `on_links`.
inline void weigh_hop(const HopCost& hop, const StepOp& op, double bytes, double on_links, Weight& weight) {
  weight.links_share = std::min(1.0, hop.links_bytes / on_links);
  weight.least_alpha = hop.seconds;
  weight.stored = bytes * hop.stored_with(op.primitive) / op.together;
  weight.busy = hop.busy_with(op.primitive);
  weight.ahead = hop.ahead;
  weight.ahead_on_short_ways = hop.ahead_on_short_ways;
  weight.rendezvous = bytes > hop.eager * op.together;
}

} // namespace gradflight
