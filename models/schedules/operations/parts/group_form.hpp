// The closed form of an operation by one algorithm: its cost, and the conditions for it.
//
// In the form's network every rank has one full-duplex port of rate 1/beta into a switch that never blocks. A message
// of b bytes alone on its ports takes alpha + b beta; concurrent messages share a port max-min fairly. All ranks start
// together. A member combines received data before its lane's next step begins, b gamma for b bytes. A helper that is a
// switch has a port with the bandwidth of all ranks' ports together, and its additions take no time.
#pragma once

#include "models/forms/collective_cost.hpp"
#include "models/schedules/operations/parts/group_spec.hpp"
#include "models/schedules/parts/collective.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gradflight {

struct FormLinks {
  LinkParameters link;   ///< of a message, across nodes if these are distinguished
  LinkParameters inside; ///< two_level: inside a node, on a separate port; equal to `link` on a star
  double element_bytes = 4;
  double beside_data = 0; ///< seconds of the bytes that each message has beside its data; `link.alpha` includes them

  /// Adds these bytes to every message.
  void add_message_bytes(double bytes) {
    link.alpha += bytes * link.beta;
    inside.alpha += bytes * inside.beta;
    beside_data += bytes * link.beta;
  }
};

/// A property of the group that a form needs: "p a power of two".
struct FormCondition {
  std::string_view id, text;
  bool holds = false;
};

struct GroupForm {
  std::string name, formula, source;
  CollectiveCost cost;                   ///< seconds by latency, bandwidth, reductions
  bool bound = false;                    ///< if the conditions hold, no run is faster, but runs may be slower
  std::vector<FormCondition> conditions; ///< if all hold, it is exact (unless it is a bound)
  bool ends_together = false;            ///< if it is exact, all ranks end at that time

  [[nodiscard]] bool exact() const {
    for (const FormCondition& condition : conditions)
      if (!condition.holds) return false;
    return !bound;
  }
};

} // namespace gradflight
