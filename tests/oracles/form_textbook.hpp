// Closed forms of the collectives of Thakur et al. 2005 that are not in the catalogue ("T", as in
// models/forms/form_collectives.hpp). Symbols: models/forms/collective_cost.hpp; a single rank exchanges nothing.
#pragma once

#include "models/forms/collective_cost.hpp"

namespace gradflight {

/// All-gather (T 3.1); n is the whole result, and each rank contributes n/p. Ring, any p: (p-1) alpha + ((p-1)/p) n
/// beta.
CollectiveCost allgather_ring(int p, double n, const LinkParameters& link);

/// Recursive doubling, p a power of two: lg p alpha + ((p-1)/p) n beta.
CollectiveCost allgather_recursive_doubling(int p, double n, const LinkParameters& link);

/// Bruck, any p: ceil(lg p) alpha + ((p-1)/p) n beta (its local copy costs nothing here).
CollectiveCost allgather_bruck(int p, double n, const LinkParameters& link);

/// van de Geijn, binomial scatter and ring all-gather: (lg p + p - 1) alpha + 2((p-1)/p) n beta, p a power of two.
CollectiveCost broadcast_van_de_geijn_ring(int p, double n, const LinkParameters& link);

/// The same with a recursive-doubling all-gather: 2 lg p alpha + 2((p-1)/p) n beta, p a power of two.
CollectiveCost broadcast_van_de_geijn_doubling(int p, double n, const LinkParameters& link);

/// Reduce-scatter of n-byte vectors (T 3.3); each rank keeps n/p. Recursive halving, p a power of two: lg p alpha +
/// ((p-1)/p) n (beta + gamma).
CollectiveCost reduce_scatter_halving(int p, double n, const LinkParameters& link);

/// Recursive doubling, p a power of two: lg p alpha + n (lg p - (p-1)/p) (beta + gamma).
CollectiveCost reduce_scatter_doubling(int p, double n, const LinkParameters& link);

/// Pairwise exchange, any p: (p-1) alpha + ((p-1)/p) n (beta + gamma). A ring's reduce-scatter costs the same.
CollectiveCost reduce_scatter_pairwise(int p, double n, const LinkParameters& link);

/// Rabenseifner, halving reduce-scatter and binomial gather, p a power of two:
/// 2 lg p alpha + 2((p-1)/p) n beta + ((p-1)/p) n gamma.
CollectiveCost reduce_rabenseifner(int p, double n, const LinkParameters& link);

/// All-reduce of n-byte vectors (T 3.5). Ring (reduce-scatter ring, all-gather ring), any p: 2(p-1) alpha + 2((p-1)/p)
/// n beta + ((p-1)/p) n gamma.
CollectiveCost allreduce_ring(int p, double n, const LinkParameters& link);

/// All-to-all by pairwise exchange; each rank sends n bytes to the others: (p-1) alpha + n beta. T 3.3 (long messages).
CollectiveCost alltoall_pairwise(int p, double n, const LinkParameters& link);

} // namespace gradflight
