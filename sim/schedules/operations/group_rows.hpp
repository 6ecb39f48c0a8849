// What the rows of the catalogue are made of: of each algorithm, its schedules and its closed forms. What an algorithm
// does, and in which order it adds up, is written at the top of its file.
#pragma once

#include "sim/schedules/operations/group_form.hpp"
#include "sim/schedules/operations/group_schedule.hpp"
#include "sim/schedules/operations/group_spec.hpp"

#include <memory>

namespace gradflight {

using MadeSchedule = std::unique_ptr<GroupSchedule>;

MadeSchedule group_ring(const GroupSpec& spec);
GroupFormResult group_ring_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_pairwise(const GroupSpec& spec);
GroupFormResult group_pairwise_form(const GroupSpec& spec, const FormLinks& links);

} // namespace gradflight
