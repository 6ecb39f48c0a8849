// Executes the schedule of an operation without an engine: all lanes of all members, in random order.
//
// Every element of every member holds the set of contributing ranks (a bit each, p <= 64). For data that is only moved,
// it records whether the data is present. So each message can be checked. No member sends missing data, nothing is
// added twice, and no moved data arrives twice. Parts of a message add up to the announced size.
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"
#include "models/schedules/operations/parts/group_spec.hpp"

#include <cstdint>
#include <vector>

namespace gradflight::test {

struct GroupTraffic {
  std::int64_t messages = 0, elements = 0;
  std::vector<std::int64_t> sent, received; ///< number of elements for each member
};

/// Throws std::runtime_error with the lane, the member and its step on any violation. Violations are a deadlock, a
/// message without a receiver, and data in the wrong place.
GroupTraffic carry_out(const GroupSpec& spec, const GroupSchedule& schedule, unsigned seed);

} // namespace gradflight::test
