// Calls for which RCCL takes a schedule of MSCCL from a file.
//
// Facts: RCCL of October 2024 (BSD 3-Clause), tools/msccl-algorithms, src/misc/msccl.
#pragma once

#include "models/nccl/machine.hpp"
#include "models/nccl/tuning.hpp"

#include <cstdint>
#include <optional>

namespace gradflight::nccl {

/// A call by one of MSCCL's schedules: every rank sends directly to every other. In an all-reduce, each rank reduces a
/// block, then sends it to all others.
struct MscclChoice {
  Protocol protocol = Protocol::ll;
  int blocks = 0; ///< of threads for each peer; in an all-reduce as many others reduce
};

/// Returns the schedule that RCCL takes instead of its own choice; nothing if it has none for this call. `elements`
/// counts the whole vector.
std::optional<MscclChoice> msccl_choice(const Machine& machine, Operation op, std::int64_t elements,
                                        double element_size);

} // namespace gradflight::nccl
