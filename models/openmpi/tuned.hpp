// Which algorithm Open MPI's component "tuned" takes for a call, by its fixed rules: nothing set, no rules file.
//
// Facts: ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of releases 4.0.5 and 4.1.8 (BSD 3-Clause). 4.1 has the same
// rules from 4.1.0 to 4.1.8; 4.0.5's are those of 4.0.0 but for an all-to-all that is off by default. Other components
// (coll/han, UCX' and HCOLL's collectives) may take a call before tuned sees it.
#pragma once

#include "models/collectives/operation.hpp"

#include <cstdint>
#include <string_view>

namespace gradflight::openmpi {

enum class Release : std::uint8_t { v4_0, v4_1 };

enum class Algorithm : std::uint8_t {
  linear,
  linear_sync, ///< a few at a time, or pieces behind a first small message
  linear_nonblocking,
  nonoverlapping, ///< reduce, then broadcast (or scatter)
  recursive_doubling,
  recursive_halving,
  halving_doubling, ///< Rabenseifner's: reduce-scatter and all-gather, or gather
  ring,
  segmented_ring,
  double_ring,
  neighbor_exchange,
  bruck,
  pairwise,
  two_processes,
  chain,    ///< four chains ("chain"), each a pipeline
  pipeline, ///< one chain
  binary_tree,
  in_order_binary_tree,
  split_binary_tree,
  binomial_tree,
  knomial_tree, ///< of radix 4
  tree,         ///< of the barrier
  butterfly,
  scatter_allgather,      ///< binomial scatter, recursive doubling
  scatter_allgather_ring, ///< binomial scatter, ring
  none
};
std::string_view algorithm_name(Algorithm algorithm);

struct Decision {
  Algorithm algorithm = Algorithm::none; ///< none: the component has no such operation (sendrecv)
  double segment = 0;                    ///< bytes of the pieces that are pipelined; 0: in one piece
};

/// `bytes` of the whole vector as nccl-tests counts it (counts_blocks in operation.hpp); what the rules ask for follows
/// from it. `elements`: of the vector, where it is known to be few (-1: many). `commutes`: the reduction does.
/// `ranks` >= 2.
Decision decide(Release release, Operation op, int ranks, double bytes, double elements = -1, bool commutes = true);

} // namespace gradflight::openmpi
