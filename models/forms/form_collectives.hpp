// Closed forms of the collectives from which exchanges are composed. The standard ones: Thakur, Rabenseifner and Gropp,
// "Optimization of Collective Communication Operations in MPICH", IJHPCA 19(1), 2005 ("T" below; docs/closed-forms.md).
// Symbols: collective_cost.hpp.
//
// p >= 1, n >= 0. A single rank exchanges nothing, so every form is 0 for p = 1.
#pragma once

#include "models/forms/collective_cost.hpp"

namespace gradflight {

/// Broadcast of n bytes (T 3.2). Binomial tree, any p: ceil(lg p) (alpha + n beta). The root's last send is to a leaf,
/// so every round counts.
CollectiveCost broadcast_binomial(int p, double n, const LinkParameters& link);

/// Reduce to one rank (T 3.4). Binomial tree, any p: ceil(lg p) (alpha + n beta + n gamma). The root has a child in
/// each round, and the child of round i is ready after at most i rounds. No message moves before its receiver is ready,
/// so every round counts.
CollectiveCost reduce_binomial(int p, double n, const LinkParameters& link);
/// The same for p >= 2 nodes and a root without its own operand, which only copies the first message. This saves one
/// gamma term for p <= 3. For larger p, another node's reduction ends as late as the root's.
CollectiveCost reduce_binomial_to_aggregator(int p, double n, const LinkParameters& link);

/// All-reduce of n-byte vectors (T 3.5) by the ring (reduce-scatter ring, all-gather ring), any p, with blocks of
/// `block` bytes: 2(p-1)(alpha + block beta) + (p-1) block gamma. Blocks may be unequal: the critical path follows a
/// largest block around the ring twice. So the form is exact if `block` is the largest block.
CollectiveCost allreduce_ring_blocks(int p, double block, const LinkParameters& link);
/// Recursive doubling: lg p2 (alpha + n beta + n gamma); p2 is the largest power of two <= p. If p > p2, the 2(p - p2)
/// lowest ranks first form pairs, even to odd, and receive the result at the end: + 2(alpha + n beta) + n gamma.
CollectiveCost allreduce_recursive_doubling(int p, double n, const LinkParameters& link);
/// Rabenseifner's recursive halving and doubling: 2 lg p2 alpha + 2((p2-1)/p2) n beta + ((p2-1)/p2) n gamma, with the
/// same fold.
CollectiveCost allreduce_halving_doubling(int p, double n, const LinkParameters& link);
/// Binomial reduce to rank 0 and binomial broadcast: 2 ceil(lg p)(alpha + n beta) + ceil(lg p) n gamma.
CollectiveCost allreduce_binomial_tree(int p, double n, const LinkParameters& link);
/// The cost that ranks beyond a power of two add before and after: 2(alpha + n beta) + n gamma; 0 for a power of two.
CollectiveCost fold_cost(int p, double n, const LinkParameters& link);

// Exchanges of selected entries: gTop-k (Shi et al.), Table I and Eq. 4-7. `list` is the bytes of one worker's
// selection. The paper counts k in bytes of values, and its "2k" adds as many bytes of indices. (The authors' script
// counts k in elements, with a beta per 4 bytes.) A list of k entries of 4 + 4 bytes has 8k bytes: the paper's 2k.

/// Eq. 6, TopKAllReduce: ceil(lg P) alpha + (P-1) list beta; any P (Bruck's rounds send min(2^i, P - 2^i) lists).
/// Merging the P-1 lists costs gamma seconds per byte of received lists.
CollectiveCost topk_allgather(int p, double list, const LinkParameters& link);
/// The same lists on a ring (Thakur et al. 2005, Sec. 4.1): (P-1) (alpha + list beta); any P.
CollectiveCost topk_allgather_ring(int p, double list, const LinkParameters& link);
/// Eq. 7, gTopKAllReduce: 2 ceil(lg P)(alpha + list beta) and one merge per round; a tree to rank 0 and a binomial
/// broadcast.
CollectiveCost gtopk_allreduce(int p, double list, const LinkParameters& link);

} // namespace gradflight
