// Calls of Open MPI as its component "tuned" decides them: plain schedules, in pieces of the size it chooses.
#pragma once

#include "models/openmpi/tuned.hpp"
#include "sim/libraries/library_call.hpp"

namespace gradflight {

/// `ranks` >= 2 processes, `elements` > 0 counted as in GroupSpec, `element_size` > 0. Not for a barrier.
LibraryCall mpi_call(openmpi::Release release, Operation op, int ranks, std::int64_t elements, double element_size);

} // namespace gradflight
