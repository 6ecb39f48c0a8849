// The closed form of an operation by one algorithm: what it costs, and what has to hold for that.
//
// Of a network in which every rank has one full-duplex port of rate 1/beta into a switch that is never in the way, a
// message of b bytes alone on its ports takes alpha + b beta, and concurrent messages share a port equally, max-min
// fair. All ranks start together. A member combines what it received before its lane's next step begins, b gamma for
// b bytes. A helper that is a switch has a port as wide as all ranks' together, and adds up for nothing.
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
  LinkParameters link;   ///< of a message, across nodes where they are told apart
  LinkParameters inside; ///< two_level: inside a node, on a port of its own; the same as `link` on a star
  double element_bytes = 4;
};

/// Something of the group that a form needs: "p a power of two".
struct FormCondition {
  std::string_view id, text;
  bool holds = false;
};

struct GroupForm {
  std::string name, formula, source;
  CollectiveCost cost;                   ///< seconds by latency, bandwidth, reductions
  bool bound = false;                    ///< where the conditions hold no run is faster, but runs may be slower
  std::vector<FormCondition> conditions; ///< where all hold (and it is no bound) it is exact
  bool ends_together = false;            ///< where it is exact, all ranks end at that time

  [[nodiscard]] bool exact() const {
    for (const FormCondition& condition : conditions)
      if (!condition.holds) return false;
    return !bound;
  }
};

using GroupFormResult = std::variant<NoForm, GroupForm>;

} // namespace gradflight
