// Closed forms of sparse exchanges: gTop-k (Shi et al.), Table I and Eq. 4-7. Symbols: collective_cost.hpp; `list` is
// the bytes of one worker's selection. The paper counts k in bytes of values, and its "2k" adds as many bytes of
// indices. (The authors' script counts k in elements, with a beta per 4 bytes.) A list of k entries of 4 + 4 bytes has
// 8k bytes: the paper's 2k.
#pragma once

#include "models/forms/collective_cost.hpp"

namespace gradflight {

/// Eq. 6, TopKAllReduce: ceil(lg P) alpha + (P-1) list beta; any P (Bruck's rounds send min(2^i, P - 2^i) lists).
/// Merging the P-1 lists costs gamma seconds per byte of received lists.
CollectiveCost topk_allgather(int p, double list, const LinkParameters& link);
/// The same lists on a ring (Thakur et al. 2005, Sec. 4.1): (P-1) (alpha + list beta); any P.
CollectiveCost topk_allgather_ring(int p, double list, const LinkParameters& link);
/// Eq. 7, gTopKAllReduce: 2 ceil(lg P)(alpha + list beta) and one merge per round; a tree to rank 0 and a binomial
/// broadcast.
CollectiveCost gtopk_allreduce(int p, double list, const LinkParameters& link);

} // namespace gradflight
