// The algorithm that Open MPI's component "tuned" chooses for a call by its fixed rules: no parameters set, no rules
// file.
//
// Sources: ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of releases 4.0.5 and 4.1.8 (BSD 3-Clause). The rules are
// the same from 4.1.0 to 4.1.8. The rules of 4.0.5 equal those of 4.0.0, except for an all-to-all that is off by
// default. Other components (coll/han, collectives of UCX and HCOLL) may handle a call before tuned does.
#pragma once

#include "models/collectives/operation.hpp"

#include <cstdint>
#include <string_view>

namespace gradflight::openmpi {

enum class Release : std::uint8_t { v4_0, v4_1 };

enum class Algorithm : std::uint8_t {
  linear,
  linear_sync, ///< a few messages at a time, or pieces after a small first message
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
  chain,    ///< four chains ("chain"); each is a pipeline
  pipeline, ///< one chain
  binary_tree,
  in_order_binary_tree,
  split_binary_tree,
  binomial_tree,
  knomial_tree, ///< with radix 4
  tree,         ///< barrier only
  butterfly,
  scatter_allgather,      ///< binomial scatter, recursive doubling
  scatter_allgather_ring, ///< binomial scatter, ring
  none
};
std::string_view algorithm_name(Algorithm algorithm);

struct Decision {
  Algorithm algorithm = Algorithm::none; ///< none: the component has no such operation (sendrecv)
  double segment = 0;                    ///< bytes of each pipelined piece; 0: no pieces
};

/// `bytes` is the size of the whole vector as nccl-tests counts it (counts_blocks in operation.hpp); the arguments of
/// the rules follow from it. `elements` is the number of elements in the vector, if it may be small (-1: large).
/// Reductions are commutative. `ranks` >= 2.
Decision decide(Release release, Operation op, int ranks, double bytes, double elements = -1);

} // namespace gradflight::openmpi
