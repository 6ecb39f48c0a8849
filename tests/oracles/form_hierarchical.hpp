// Closed forms of the phases of hierarchical exchanges: members of a group to their master, an exchange between
// masters, and from each master back to its group. Sources: GradientFlow Sec. 2.4 and Fig. 7 b (NCCL-H); INCEPTIONN
// Fig. 1. Symbols: collective_cost.hpp; G members of a group (including the master), M groups, each phase with its own
// link.
#pragma once

#include "models/forms/collective_cost.hpp"

namespace gradflight {

/// Each of G members except the master sends its own block of n/G to the master, all at once: alpha + ((G-1)/G) n beta;
/// 0 for G = 1.
CollectiveCost gather_at_once(int members, double n, const LinkParameters& link);
/// The same, one after another: (G-1) alpha + ((G-1)/G) n beta.
CollectiveCost gather_in_turn(int members, double n, const LinkParameters& link);

/// To the master, first variant: ring reduce-scatter, then gather. G alpha + 2((G-1)/G) n beta + ((G-1)/G) n gamma if
/// all blocks are gathered at once. GradientFlow's estimate has 2(G-1) alpha (one after another).
CollectiveCost group_reduce_ring(int members, double n, const LinkParameters& link);
CollectiveCost group_reduce_ring_in_turn(int members, double n, const LinkParameters& link);
/// Second variant, along the ring without pipelining: (G-1)(alpha + n beta + n gamma).
CollectiveCost group_reduce_chain(int members, double n, const LinkParameters& link);
/// Third variant, along the ring in S slices: (G+S-2)(alpha + (n/S) beta), about n beta for many slices. The reduction
/// of a slice takes (n/S) gamma at every hop. It is hidden by the next slice's transfer if it is shorter.
CollectiveCost group_reduce_chain_sliced(int members, int slices, double n, const LinkParameters& link);
/// Every member sends its whole vector to the master at the same time: alpha + s n beta + (o-1) n gamma with s senders
/// and o operands. If the master is a member, s = G-1 and o = G; for a separate aggregator, s = G and o = G.
CollectiveCost group_reduce_flat(int members, bool dedicated, double n, const LinkParameters& link);

/// Back to the group, all at once: alpha + s n beta, with s as above.
CollectiveCost group_broadcast_flat(int members, bool dedicated, double n, const LinkParameters& link);
/// Scatter of blocks at once, then the all-gather ring: G alpha + 2((G-1)/G) n beta.
CollectiveCost group_broadcast_ring(int members, double n, const LinkParameters& link);
/// Along the ring in S slices: (G+S-2)(alpha + (n/S) beta).
CollectiveCost group_broadcast_chain_sliced(int members, int slices, double n, const LinkParameters& link);

/// GradientFlow's NCCL-H over N = groups * members: ring reduce-scatter and gather, a ring among the masters with the
/// whole vector, and a binomial broadcast. (The ring has blocks of n/M; the paper's "K M / N" agrees only for M = sqrt
/// N.)
CollectiveCost hierarchical_allreduce(int groups, int members, double n, const LinkParameters& inner,
                                      const LinkParameters& outer);

} // namespace gradflight
