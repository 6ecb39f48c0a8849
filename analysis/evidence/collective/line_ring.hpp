// A prediction without a simulator: one ring over all ranks at the rates of the machine's data sheet.
#pragma once

#include "analysis/evidence/collective/collective_group.hpp"

namespace gradflight {

/// The limits of a ring: bytes per second, and seconds from rank to rank.
struct LineRates {
  double inside = 0;  ///< from a GPU to the others of its node; infinite for one node with one GPU
  double between = 0; ///< from a node, by the NICs of its GPUs together; infinite for one node
  double own = 0;     ///< from a GPU to another node; equals `inside` for one node
  double alpha = 0;   ///< latency of the slowest hop
  double both = 1;    ///< share of `between` and `own` for each direction if NICs send and receive at the same time
};
LineRates line_rates(const CollectiveGroup& group);

/// Returns the seconds of `bytes` (as nccl-tests counts them) among p ranks, g on each node.
/// all_reduce: 2 (p-1) alpha + 2 (p-1)/p n/R with R = min(inside, both * between);
/// all_gather and reduce_scatter: half of it;
/// broadcast and reduce: (p-1) alpha + n/R, perfectly pipelined, with the rate of one direction, as gather and scatter;
/// sendrecv: alpha + n / min(inside, own);
/// alltoall: (p-1) alpha + max((g-1)/p n / inside, g (p-g)/p n / between);
/// gather and scatter: (p-1) alpha + (p-1)/p n / min(inside, own).
double line_ring_time(const LineRates& rates, Operation op, double bytes, int ranks, int gpus_per_node);

} // namespace gradflight
