// Which messages of a schedule are under way together, from its steps alone.
#pragma once

#include "models/schedules/parts/schedule.hpp"

#include <utility>
#include <vector>

namespace gradflight {

/// Messages that are under way together: sender and receiver.
using Messages = std::vector<std::pair<int, int>>;

/// The messages between participants, round by round, in the order of their senders: in a round every participant whose
/// partner is ready sends, as if all messages took equally long. Of rounds that only repeat the same partners
/// (Schedule::distinct_steps) the first. O(distinct steps of all participants). Throws std::logic_error on a deadlock.
std::vector<Messages> rounds(const Schedule& schedule);

} // namespace gradflight
