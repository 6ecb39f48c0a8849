// The links that the messages of an operation use: their costs in its closed form, and what the form assumes of them.
#pragma once

#include "analysis/run/forms/assumption.hpp"
#include "models/schedules/operations/parts/group_form.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace gradflight {

class Platform;

/// The schedules whose messages are looked at: those with at most this number of steps in all, and of pairs of members
/// that exchange messages.
struct CallLinksLimit {
  std::int64_t steps = std::numeric_limits<std::int64_t>::max(), pairs = std::numeric_limits<std::int64_t>::max();
};

struct CallLinks {
  /// The largest alpha and the smallest bandwidth of all routes, for elements of one byte. Messages to and from a
  /// switch that reduces are not those between ranks: they use the links up to it, or those down from it.
  FormLinks links;
  std::vector<Assumption> assumptions; ///< about these links, and about the ranks' reductions
};

/// Returns the links of `row`'s messages for this operation. The sizes in `spec` have no effect. `places`: of each
/// rank. Returns nothing beyond the limit. O(steps + pairs * length of a route); a vector in chunks counts as one
/// chunk.
std::optional<CallLinks> call_links(const Collective& row, GroupSpec spec, const Platform& platform,
                                    std::span<const std::int32_t> places, const CallLinksLimit& limit = {});

} // namespace gradflight
