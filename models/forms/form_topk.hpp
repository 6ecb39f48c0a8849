// Closed forms of sparse exchanges: gTop-k (Shi et al.), Table I and Eq. 4-7. Symbols: collective_cost.hpp; `list`
// bytes of one worker's selection. The paper's k is in bytes of values and its "2k" adds as many bytes of indices (its
// authors' script has k in elements and a 4-byte beta); a list of k entries of 4 + 4 bytes is 8k bytes, 2k of the
// paper's.
#pragma once

#include "models/forms/collective_cost.hpp"

namespace gradflight {

/// Eq. 6, TopKAllReduce: ceil(lg P) alpha + (P-1) list beta; any P (Bruck's rounds send min(2^i, P - 2^i) lists).
/// Merging the P-1 lists costs merge seconds a byte of received lists, in gamma's place.
CollectiveCost topk_allgather(int p, double list, const LinkParameters& link);
/// The same lists round a ring (Thakur et al. 2005, Sec. 4.1): (P-1) (alpha + list beta); any P.
CollectiveCost topk_allgather_ring(int p, double list, const LinkParameters& link);
/// Eq. 7, gTopKAllReduce: 2 ceil(lg P)(alpha + list beta) and one merge a round; tree to rank 0 and binomial broadcast.
CollectiveCost gtopk_allreduce(int p, double list, const LinkParameters& link);

} // namespace gradflight
