// One operation with a plain schedule: only alpha, beta and gamma.
#pragma once

#include "analysis/evidence/collective/collective_group.hpp"
#include "analysis/evidence/collective/plain_forms.hpp"
#include "models/schedules/make_schedule.hpp"
#include "models/schedules/written/written_schedule.hpp"

#include <memory>
#include <string>

namespace gradflight {

/// Returns a sentence that says why `algorithm` cannot execute the operation in this group; empty if it can.
std::string cannot(const Collective& algorithm, Operation op, const CollectiveGroup& group);

/// Returns the row for `elements` (counted_elements, > 0) with one algorithm.
CollectiveRow plain_row(const Collective& algorithm, Operation op, std::int64_t elements, int element_size,
                        const CollectiveGroup& group, PlainForms& forms);

/// Returns the row for `elements` with a schedule from a file, for this operation and these ranks; `name` is the file's
/// name.
CollectiveRow written_row(const std::shared_ptr<const WrittenSchedule>& written, const std::string& name, Operation op,
                          std::int64_t elements, int element_size, const CollectiveGroup& group);

/// Returns the row of the fastest algorithm that can execute the operation. Beyond 128 ranks, closed forms (or their
/// bounds) select the three best candidates to simulate.
CollectiveRow fastest_row(Operation op, std::int64_t elements, int element_size, const CollectiveGroup& group,
                          PlainForms& forms);

/// Computes algbw and busbw from size and time.
void fill_bandwidths(Operation op, int ranks, CollectiveRow& row);

} // namespace gradflight
