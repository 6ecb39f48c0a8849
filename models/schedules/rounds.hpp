// Which messages of a schedule are under way together, derived from its steps alone.
#pragma once

#include "models/schedules/parts/schedule.hpp"

#include <utility>
#include <vector>

namespace gradflight {

/// Messages under way at the same time: sender and receiver.
using Messages = std::vector<std::pair<int, int>>;

/// Returns the messages between participants, round by round, in the order of their senders. In a round every
/// participant with a ready partner sends, as if all messages took equally long. Of rounds that repeat the same
/// partners (Schedule::distinct_steps), only the first are included. O(distinct steps of all participants). Throws
/// std::logic_error on a deadlock.
std::vector<Messages> rounds(const Schedule& schedule);

} // namespace gradflight
