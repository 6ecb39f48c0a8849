// RCCL's own model of the cost of a call on MI300: rings and trees over a mesh of xGMI.
//
// RCCL takes the orders of GPUs from a list of known machines and gives their channels the full rate of a GPU's links.
// In its list, the rings of a mesh of eight GPUs load every link equally. Here rings that use each direction of each
// link once stand for them; other orders come from the search. LL128 is off on this GPU, and so are trees of the Simple
// protocol inside one node. Facts: RCCL of October 2024 (BSD 3-Clause), src/graph/tuning.cc, rome_models.cc,
// connect.cc, topo.h; other releases and GPUs differ.
#pragma once

#include "models/nccl/tuning.hpp"

namespace gradflight::nccl {

/// GB/s of an xGMI link of MI300, for Machine::nvlink.
inline constexpr double xgmi_rate = 48;

/// Replaces the searched rings inside one node by disjoint_rings.hpp's if the node is a mesh with equal links. Each
/// ring has two channels, which RCCL doubles once more: 28 on eight GPUs.
void use_disjoint_rings(const Machine& machine, Graphs& graphs);

/// `machine.links` are xGMI links. `choose` and `time_us` of tuning.hpp accept the result.
Tuning tune_rccl(const Machine& machine, const Graphs& graphs);

} // namespace gradflight::nccl
