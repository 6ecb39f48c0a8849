// How long the schedule of an operation takes on a star, worked out without an engine: what closed forms assume.
#pragma once

#include "models/forms/collective_cost.hpp"
#include "models/schedules/operations/parts/group_schedule.hpp"

namespace gradflight::test {

/// Every member has a full-duplex port of rate 1/beta, a helper one of ranks/beta, and messages share ports max-min
/// fairly. Bytes are elements. Throws std::runtime_error on a deadlock.
double time_on_star(const GroupSchedule& schedule, const LinkParameters& link);

} // namespace gradflight::test
