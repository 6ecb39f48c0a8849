// Parts of the catalogue's rows: the schedules and closed forms of each algorithm. The top of an algorithm's file says
// what it does, and in which order it adds.
#pragma once

#include "models/schedules/operations/parts/group_form.hpp"
#include "models/schedules/operations/parts/group_schedule.hpp"
#include "models/schedules/operations/parts/group_spec.hpp"

#include <memory>

namespace gradflight {

using MadeSchedule = std::unique_ptr<GroupSchedule>;

MadeSchedule group_ring(const GroupSpec& spec);
GroupFormResult group_ring_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_pairwise(const GroupSpec& spec);
GroupFormResult group_pairwise_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_spread(const GroupSpec& spec);
GroupFormResult group_spread_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_bruck(const GroupSpec& spec);
GroupFormResult group_bruck_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_recursive_doubling(const GroupSpec& spec);
GroupFormResult group_recursive_doubling_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_halving_doubling(const GroupSpec& spec);
GroupFormResult group_halving_doubling_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_binomial_tree(const GroupSpec& spec);
GroupFormResult group_binomial_tree_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_scatter_allgather(const GroupSpec& spec);
GroupFormResult group_scatter_allgather_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_reduce_scatter_gather(const GroupSpec& spec);
GroupFormResult group_reduce_scatter_gather_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_chain(const GroupSpec& spec);
GroupFormResult group_chain_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_binary_tree(const GroupSpec& spec);
GroupFormResult group_binary_tree_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_double_binary_tree(const GroupSpec& spec);
GroupFormResult group_double_binary_tree_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_two_level(const GroupSpec& spec);
GroupFormResult group_two_level_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_in_switch(const GroupSpec& spec);
GroupFormResult group_in_switch_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_nvls(const GroupSpec& spec);
GroupFormResult group_nvls_form(const GroupSpec& spec, const FormLinks& links);
MadeSchedule group_dissemination(const GroupSpec& spec);
GroupFormResult group_dissemination_form(const GroupSpec& spec, const FormLinks& links);

} // namespace gradflight
