// nccl-tests' table for a cluster that need not exist: every size simulated, with what was chosen and why.
#pragma once

#include "analysis/collective/collective_group.hpp"

#include <functional>

namespace gradflight {

/// Called with each row when it is there, and may add to it.
using RowSink = std::function<void(CollectiveRow&)>;

/// Mistakes in what is asked of this group that only it can tell: an unknown algorithm, one that cannot serve, a group
/// of one. Throws InputErrors with all of them.
void check_request(const CollectiveRequest& request, const CollectiveGroup& group);

/// One operation over all sizes; empty rows are left out. Throws InputErrors, SimulationFailure.
CollectiveTable collective_table(const CollectiveRequest& request, Operation op, const CollectiveGroup& group,
                                 const RowSink& sink = {});

} // namespace gradflight
