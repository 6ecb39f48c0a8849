// The rate at which the links of a node let a graph's channels reach their NICs.
#pragma once

#include "models/nccl/graph.hpp"
#include "models/nccl/machine.hpp"
#include "models/nccl/topology.hpp"

namespace gradflight::nccl {

/// Sets SearchedChannel::out_rate of each channel that uses a NIC.
void set_out_rates(const Machine& machine, const Topology& topology, Graph& graph);

/// Returns GB/s of a message from a GPU to a NIC's port that is alone on its links.
double rate_alone(const Machine& machine, const Topology& topology, int gpu, int nic);

} // namespace gradflight::nccl
