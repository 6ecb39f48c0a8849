// Computes the time of an operation's schedule on a star without an engine, with the assumptions of closed forms.
#pragma once

#include "models/forms/collective_cost.hpp"
#include "models/schedules/operations/parts/group_schedule.hpp"

namespace gradflight::test {

/// Every member has a full-duplex port of rate 1/beta, and a helper one of rate ranks/beta. Messages share ports with
/// max-min fairness. Bytes are elements. Throws std::runtime_error on a deadlock.
double time_on_star(const GroupSchedule& schedule, const LinkParameters& link);

} // namespace gradflight::test
