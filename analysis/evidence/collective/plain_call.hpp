// One operation by a plain schedule: alpha, beta, gamma and nothing else.
#pragma once

#include "analysis/evidence/collective/collective_group.hpp"
#include "models/schedules/operations/group_catalogue.hpp"
#include "models/schedules/written/written_schedule.hpp"

#include <memory>
#include <string>

namespace gradflight {

/// What can be done by `algorithm` in this group; why not, in a sentence; empty: it can.
std::string cannot(const GroupAlgorithm& algorithm, Operation op, const CollectiveGroup& group);

/// The row of `elements` (counted_elements, > 0) by one algorithm.
CollectiveRow plain_row(const GroupAlgorithm& algorithm, Operation op, std::int64_t elements, int element_size,
                        const CollectiveGroup& group);

/// The row of `elements` by a schedule that somebody wrote down, of this operation and these ranks; `name`: its file's.
CollectiveRow written_row(const std::shared_ptr<const WrittenSchedule>& written, const std::string& name, Operation op,
                          std::int64_t elements, int element_size, const CollectiveGroup& group);

/// By the fastest of all that can do it. Beyond 128 ranks, where closed forms (or their bounds) tell which come into
/// question, the three best of them.
CollectiveRow fastest_row(Operation op, std::int64_t elements, int element_size, const CollectiveGroup& group);

/// Fills what the closed form says, where there is one.
void fill_form(const GroupAlgorithm& algorithm, const GroupSpec& spec, const FormLinks& links, CollectiveRow& row);

/// Fills algbw and busbw from size and time.
void fill_bandwidths(Operation op, int ranks, CollectiveRow& row);

} // namespace gradflight
