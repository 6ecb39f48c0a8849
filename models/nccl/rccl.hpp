// RCCL's own model of the cost of a call on MI300: rings and trees over a mesh of xGMI.
//
// RCCL takes the orders of GPUs from a list of known machines and gives their channels the full rate of a GPU's links;
// here the orders come from the search. LL128 is off on this GPU, and so are trees of the Simple protocol inside one
// node. Facts: RCCL of October 2024 (BSD 3-Clause), src/graph/tuning.cc, rome_models.cc, topo.h; other releases and
// GPUs differ.
#pragma once

#include "models/nccl/tuning.hpp"

#include <optional>

namespace gradflight::nccl {

/// GB/s of an xGMI link of MI300, for Machine::nvlink.
inline constexpr double xgmi_rate = 48;

/// `machine.links` are xGMI links. `choose` and `time_us` of tuning.hpp accept the result.
Tuning tune_rccl(const Machine& machine, const Graphs& graphs);

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
