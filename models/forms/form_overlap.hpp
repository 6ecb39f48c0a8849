// Recurrences of exchanges that overlap with computation: exact for equally fast ranks whose exchanges run in order on
// one stream. Each yields moments whose parts are those of the critical path.
#pragma once

#include "models/forms/critical_path.hpp"

#include <cstdint>
#include <vector>

namespace gradflight {

/// A vector to exchange in an iteration: when its gradients are ready, counted from the iteration's forward pass or
/// what precedes it (host costs), and what its exchange costs.
struct ReadyExchange {
  Moment ready, cost;
};

/// One iteration: `compute` is forward and backward pass (and host costs before them); `update` follows an exchange,
/// `local_update` an iteration without one. Exchanges in order of readiness.
struct IterationShape {
  Moment compute, update, local_update;
  std::vector<ReadyExchange> exchanges;
};

/// Wait-free backward pass: end_b = max(end_{b-1}, ready_b) + cost_b; the iteration is then max(end_last, compute).
/// Without overlap every ready_b is compute and the iteration is compute + sum cost_b. GradientFlow Sec. 2.6
/// (docs/closed-forms.md).
Moment overlapped_iteration(const IterationShape& shape);

/// A run of T iterations of which every `every`-th exchanges, with Pipe-SGD's dependency K (Alg. 1, two threads).
/// Iteration i: wait for the exchange of i-K, update, compute, hand over as ready; the other thread takes the exchanges
/// up in order. After the last iteration the remaining min(K, T) updates are awaited and applied in order. K = 1 is
/// synchronous: T (overlapped iteration + update). For K >= 2 without early hand-over a step tends to
/// max(update + compute, exchange), Eq. 4. T >= 0, K >= 1, every >= 1.
Moment training_run(std::int64_t iterations, int k, int every, const IterationShape& shape);

/// One ring all-reduce whose blocks travel in C pieces, reduced while the next piece is under way (Pipe-SGD Fig. 3 a).
/// With x = alpha + m beta, g = m gamma, m the bytes of a piece (n / (pC)): step k of 2(p-1)C starts at
///   s_k = max(s_{k-1} + x, r_{k-C}),  r_j = max(r_{j-1}, s_j + x) + g,  r_j for the first (p-1)C steps only,
/// and the exchange ends at max(s_last + x, r_last). C = 1: the ring. C >= 2 and g <= x: 2(p-1)C x, the reductions are
/// hidden. With compression pass the ratio in beta.
Moment allreduce_ring_pieces(int p, int pieces, double piece, const LinkParameters& link);

} // namespace gradflight
