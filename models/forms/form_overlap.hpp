// Recurrences of exchanges that overlap with computation. They are exact for equally fast ranks with exchanges in order
// on one stream. Each returns moments with the parts of the critical path.
#pragma once

#include "models/forms/critical_path.hpp"

#include <cstdint>
#include <vector>

namespace gradflight {

/// A vector to exchange in an iteration. `ready` is when its gradients are ready, counted from the start of the
/// iteration: its forward pass, or host costs before it. `cost` is the cost of its exchange.
struct ReadyExchange {
  Moment ready, cost;
};

/// One iteration. `compute` is the forward and backward pass with the host costs before them. `update` follows an
/// exchange, and `local_update` follows an iteration without one. Exchanges are in the order of readiness.
struct IterationShape {
  Moment compute, update, local_update;
  std::vector<ReadyExchange> exchanges;
};

/// Wait-free backward pass: end_b = max(end_{b-1}, ready_b) + cost_b; the iteration ends at max(end_last, compute).
/// Without overlap every ready_b equals compute, and the iteration is compute + sum cost_b. GradientFlow Sec. 2.6
/// (docs/closed-forms.md).
Moment overlapped_iteration(const IterationShape& shape);

/// A run of T iterations, in which every `every`-th exchanges, with Pipe-SGD's dependency K (Alg. 1, two threads).
/// Iteration i waits for the exchange of i-K, updates, computes, and passes vectors on when they are ready. The other
/// thread processes the exchanges in order. After the last iteration, the run waits for the remaining min(K, T) updates
/// and applies them in order. K = 1 is synchronous: T (overlapped iteration + update). For K >= 2 with vectors passed
/// on only at the end of an iteration, a step tends to max(update + compute, exchange), Eq. 4. T >= 0, K >= 1, every >=
/// 1.
Moment training_run(std::int64_t iterations, int k, int every, const IterationShape& shape);

/// A ring all-reduce with blocks in C pieces. A piece is reduced while the next piece is sent (Pipe-SGD Fig. 3 a). Let
/// x = alpha + m beta and g = m gamma, with m the bytes of a piece (n / (pC)). Step k of 2(p-1)C starts at
///  s_k = max(s_{k-1} + x, r_{k-C}),  r_j = max(r_{j-1}, s_j + x) + g,  r_j for the first (p-1)C steps only,
/// and the exchange ends at max(s_last + x, r_last). C = 1 is the plain ring. For C >= 2 and g <= x the result is
/// 2(p-1)C x, because the reductions are hidden. With compression, include the ratio in beta.
Moment allreduce_ring_pieces(int p, int pieces, double piece, const LinkParameters& link);

} // namespace gradflight
