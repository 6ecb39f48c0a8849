// Runs the schedule of an operation without any engine: all lanes of all members, in an order drawn at random.
//
// Every element of every member carries the set of ranks whose contribution it holds (a bit each, p <= 64); of data
// that is only moved, whether it is there. So each message can be checked: nobody sends what it lacks, nothing is added
// twice, nothing that is moved comes twice, and what is received in parts adds up to what was announced.
#pragma once

#include "models/schedules/operations/parts/group_schedule.hpp"
#include "models/schedules/operations/parts/group_spec.hpp"

#include <cstdint>
#include <vector>

namespace gradflight::test {

struct GroupTraffic {
  std::int64_t messages = 0, elements = 0;
  std::vector<std::int64_t> sent, received; ///< elements, by member
};

/// Throws std::runtime_error with the lane, the member and its step on any violation, a deadlock, a message that is
/// left over, or data that is not where the operation puts it.
GroupTraffic carry_out(const GroupSpec& spec, const GroupSchedule& schedule, unsigned seed);

} // namespace gradflight::test
