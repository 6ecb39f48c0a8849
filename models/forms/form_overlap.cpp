#include "models/forms/form_overlap.hpp"

#include <cstddef>

namespace gradflight {

Moment overlapped_iteration(const IterationShape& shape) {
  Moment end;
  for (const ReadyExchange& exchange : shape.exchanges) end = later(end, exchange.ready) + exchange.cost;
  return later(end, shape.compute);
}

namespace {

/// K = 1: all iterations with an exchange take the same time, and so do all others.
Moment synchronous_run(std::int64_t iterations, int every, const IterationShape& shape) {
  const std::int64_t exchanging = iterations / every;
  return static_cast<double>(exchanging) * (overlapped_iteration(shape) + shape.update) +
         static_cast<double>(iterations - exchanging) * (shape.compute + shape.local_update);
}

} // namespace

Moment training_run(std::int64_t iterations, int k, int every, const IterationShape& shape) {
  if (k == 1) return synchronous_run(iterations, every, shape);
  std::vector<Moment> exchanged(static_cast<std::size_t>(k)); // ends of exchanges, by iteration mod k
  Moment thread, exchange_thread;
  const auto exchanges_in = [every](std::int64_t iteration) { return (iteration + 1) % every == 0; };
  const auto apply = [&](std::int64_t of) {
    thread = exchanges_in(of) ? later(thread, exchanged[static_cast<std::size_t>(of % k)]) + shape.update
                              : thread + shape.local_update;
  };
  for (std::int64_t i = 0; i < iterations; ++i) {
    if (i >= k) apply(i - k);
    if (exchanges_in(i)) {
      for (const ReadyExchange& exchange : shape.exchanges)
        exchange_thread = later(exchange_thread, thread + exchange.ready) + exchange.cost;
      exchanged[static_cast<std::size_t>(i % k)] = exchange_thread;
    }
    thread = thread + shape.compute;
  }
  for (std::int64_t i = iterations > k ? iterations - k : 0; i < iterations; ++i) apply(i);
  return thread;
}

Moment allreduce_ring_pieces(int p, int pieces, double piece, const LinkParameters& link) {
  const Moment transfer = Moment::exchanging(cost_of(link, 1, piece, 0));
  const Moment reduction = Moment::exchanging(cost_of(link, 0, 0, piece));
  const std::int64_t reducing = static_cast<std::int64_t>(p - 1) * pieces;
  std::vector<Moment> reduced(static_cast<std::size_t>(pieces)); // ends of the last reductions, by step mod pieces
  Moment arrived, last_reduced;
  for (std::int64_t step = 0; step < 2 * reducing; ++step) {
    const auto slot = static_cast<std::size_t>(step % pieces);
    arrived = later(arrived, reduced[slot]) + transfer;
    if (step >= reducing) continue;
    last_reduced = later(arrived, last_reduced) + reduction;
    reduced[slot] = last_reduced;
  }
  return later(arrived, last_reduced);
}

} // namespace gradflight
