// nccl-tests' table for a cluster that need not exist: every size simulated, with what was chosen and why.
#pragma once

#include "analysis/evidence/collective/collective_group.hpp"
#include "sim/libraries/library.hpp"

#include <functional>

namespace gradflight {

/// Called with each row when it is there, and may add to it.
using RowSink = std::function<void(CollectiveRow&)>;

/// Mistakes in what is asked of this group that only it can tell: an unknown algorithm, one that cannot serve, a group
/// of one. Throws InputErrors with all of them. Gives the library, with what it found to tell; none of plain schedules.
std::optional<Library> check_request(const CollectiveRequest& request, const CollectiveGroup& group);

/// One operation over all sizes; empty rows are left out. `library` is what check_request has given. Throws
/// InputErrors, SimulationFailure.
CollectiveTable collective_table(const CollectiveRequest& request, Operation op, const CollectiveGroup& group,
                                 const std::optional<Library>& library, const RowSink& sink = {});

} // namespace gradflight
