// nccl-tests' table for a cluster that need not exist: every size simulated, with what was chosen and why.
#pragma once

#include "analysis/evidence/collective/collective_group.hpp"
#include "models/schedules/written/written_schedule.hpp"
#include "sim/libraries/library.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace gradflight {

/// Called with each row when it is there, and may add to it.
using RowSink = std::function<void(CollectiveRow&)>;

/// Whose schedules are simulated, where that is no row of the catalogue.
struct CollectiveSource {
  std::optional<Library> library{};                 ///< with what it has found
  std::shared_ptr<const WrittenSchedule> written{}; ///< of the file that stands for an algorithm; else null
};

/// Mistakes in what is asked of this group that only it can tell: an unknown algorithm, one that cannot serve, a group
/// of one, a file whose schedule is not of this operation and these ranks. Throws InputErrors with all of them.
CollectiveSource check_request(const CollectiveRequest& request, const CollectiveGroup& group);

/// One operation over all sizes; empty rows are left out. `source` is what check_request has given. Throws
/// InputErrors, SimulationFailure.
CollectiveTable collective_table(const CollectiveRequest& request, Operation op, const CollectiveGroup& group,
                                 const CollectiveSource& source, const RowSink& sink = {});

} // namespace gradflight
