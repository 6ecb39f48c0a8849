// nccl-tests' table for a cluster that need not exist: every size simulated, with what was chosen and why.
#pragma once

#include "analysis/collective/collective_group.hpp"
#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"
#include "models/nccl/tuning.hpp"

#include <functional>

namespace gradflight {

/// Called with each row when it is there, and may add to it.
using RowSink = std::function<void(CollectiveRow&)>;

/// What NCCL finds of a group before its first call.
struct NcclSetup {
  nccl::Machine machine;
  nccl::Graphs graphs;
  nccl::Tuning tuning;
};

/// Mistakes in what is asked of this group that only it can tell: an unknown algorithm, one that cannot serve, a group
/// of one. Throws InputErrors with all of them. Gives what NCCL found to tell; none of plain schedules.
std::optional<NcclSetup> check_request(const CollectiveRequest& request, const CollectiveGroup& group);

/// One operation over all sizes; empty rows are left out. `setup` is what check_request has given. Throws InputErrors,
/// SimulationFailure.
CollectiveTable collective_table(const CollectiveRequest& request, Operation op, const CollectiveGroup& group,
                                 const std::optional<NcclSetup>& setup, const RowSink& sink = {});

} // namespace gradflight
