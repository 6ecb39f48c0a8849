// nccl-tests' table for a simulated cluster: the times of all sizes, with the choices and their reasons.
#pragma once

#include "analysis/evidence/collective/collective_group.hpp"
#include "models/schedules/written/written_schedule.hpp"
#include "sim/libraries/library.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace gradflight {

/// Called with each finished row; may add data to it.
using RowSink = std::function<void(CollectiveRow&)>;

/// The source of simulated schedules that are not in the catalogue.
struct CollectiveSource {
  std::optional<Library> library{};                 ///< with its results for this machine
  std::shared_ptr<const WrittenSchedule> written{}; ///< from the file that replaces an algorithm; else null
};

/// Checks the request for this group. Mistakes are an unknown algorithm, one that does not support the operation, a
/// group of one rank, and a file with a schedule for another operation or other ranks. Throws InputErrors with all of
/// them.
CollectiveSource check_request(const CollectiveRequest& request, const CollectiveGroup& group);
/// Throws InputErrors if there is no such algorithm, whatever the platform. check_request does this, too.
void require_known_algorithm(const CollectiveRequest& request);

/// Throws InputErrors if an operation has no element for each rank at any size. Not for sizes of a log.
void require_sizes(const CollectiveRequest& request, const CollectiveGroup& group);

/// Simulates one operation over all sizes; leaves out empty rows. `source` is the result of check_request. Throws
/// InputErrors, SimulationFailure.
CollectiveTable collective_table(const CollectiveRequest& request, Operation op, const CollectiveGroup& group,
                                 const CollectiveSource& source, const RowSink& sink = {});

} // namespace gradflight
