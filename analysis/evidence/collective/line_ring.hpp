// What needs no simulator: one ring over all ranks at the rates of the machine's data sheet.
#pragma once

#include "analysis/evidence/collective/collective_group.hpp"

namespace gradflight {

/// What limits a ring: bytes per second, and seconds from rank to rank.
struct LineRates {
  double inside = 0;  ///< out of a GPU to the others of its node; of one node with one GPU infinite
  double between = 0; ///< out of a node, by the NICs of its GPUs together; of one node infinite
  double own = 0;     ///< out of a GPU to another node; of one node as `inside`
  double alpha = 0;   ///< the slowest hop
  double both = 1;    ///< share of `between` and `own` that is left for each way where NICs send and receive at once
};
LineRates line_rates(const CollectiveGroup& group);

/// Seconds of `bytes` (as nccl-tests counts them) among p ranks, g on each node: all_reduce 2 (p-1) alpha + 2 (p-1)/p
/// n/R at R = min(inside, both * between); all_gather and reduce_scatter half of it; broadcast and reduce (p-1) alpha +
/// n/R, pipelined without end, of one way's rate as gather and scatter; sendrecv alpha + n / min(inside, own); alltoall
/// (p-1) alpha + max((g-1)/p n / inside, g (p-g)/p n / between); gather and scatter (p-1) alpha + (p-1)/p n /
/// min(inside, own).
double line_ring_time(const LineRates& rates, Operation op, double bytes, int ranks, int gpus_per_node);

} // namespace gradflight
