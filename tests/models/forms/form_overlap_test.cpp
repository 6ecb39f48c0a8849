#include "models/forms/form_collectives.hpp"
#include "models/forms/form_overlap.hpp"
#include "tests/oracles/form_textbook.hpp"
#include "tests/oracles/form_training_step.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;

namespace {

Moment exchange_of(double alpha, double beta, double gamma) { return Moment::exchanging({alpha, beta, gamma}); }

IterationShape shape_of(double compute, double update, const std::vector<std::pair<double, double>>& ready_and_cost) {
  IterationShape shape;
  shape.compute = Moment::computing(compute);
  shape.update = shape.local_update = Moment::computing(update);
  for (const auto& [ready, cost] : ready_and_cost)
    shape.exchanges.push_back({Moment::computing(ready), exchange_of(cost / 2, cost / 4, cost / 4)});
  return shape;
}

double parts(const Moment& m) { return m.alpha + m.beta + m.gamma + m.compute + m.other; }

/// The two threads on arrays: the times at which each iteration's gradients are exchanged and applied.
double two_threads(int iterations, int k, const IterationShape& shape) {
  const auto n = static_cast<std::size_t>(iterations);
  std::vector<double> exchanged(n), applied(n), start(n);
  double communication = 0, compute = 0;
  for (int i = 0; i < iterations; ++i) {
    const auto now = static_cast<std::size_t>(i);
    if (i >= k) {
      const auto old = static_cast<std::size_t>(i - k);
      compute = applied[old] = std::max(compute, exchanged[old]) + shape.update.time;
    }
    start[now] = compute;
    for (const ReadyExchange& e : shape.exchanges) {
      communication = std::max(communication, start[now] + e.ready.time) + e.cost.time;
      exchanged[now] = communication;
    }
    compute += shape.compute.time;
  }
  for (int i = std::max(0, iterations - k); i < iterations; ++i)
    compute = std::max(compute, exchanged[static_cast<std::size_t>(i)]) + shape.update.time;
  return compute;
}

/// The pipelined ring on every rank, with a transfer, an arrival and a reduction in each step.
double walk_pieces(int p, int pieces, double piece, const LinkParameters& link) {
  const int steps = 2 * (p - 1) * pieces;
  const auto ranks = static_cast<std::size_t>(p), count = static_cast<std::size_t>(steps);
  std::vector<std::vector<double>> arrived(ranks, std::vector<double>(count)),
      reduced(ranks, std::vector<double>(count, 0));
  std::vector<double> ready(ranks, 0), reducer(ranks, 0);
  for (int k = 0; k < steps; ++k) {
    const auto s = static_cast<std::size_t>(k);
    std::vector<double> sent(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      if (k >= pieces) ready[r] = std::max(ready[r], reduced[r][s - static_cast<std::size_t>(pieces)]);
      sent[r] = ready[r] + link.alpha + piece * link.beta;
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      arrived[r][s] = sent[(r + ranks - 1) % ranks];
      ready[r] = std::max(arrived[r][s], sent[r]);
      if (k < (p - 1) * pieces) reducer[r] = reduced[r][s] = std::max(reducer[r], arrived[r][s]) + piece * link.gamma;
    }
  }
  return std::max(*std::max_element(ready.begin(), ready.end()), *std::max_element(reducer.begin(), reducer.end()));
}

} // namespace

TEST_CASE("wait-free backward pass: an exchange waits for its gradients and for the one before", "[models][forms]") {
  // Ready at 4, 6, 10 with costs 5, 1, 2: the ends are 9, 10, 12.
  CHECK(overlapped_iteration(shape_of(10, 0, {{4, 5}, {6, 1}, {10, 2}})).time == Approx(12));
  // Compute hides all exchanges except the last.
  const Moment hidden = overlapped_iteration(shape_of(10, 0, {{4, 1}, {6, 1}, {10, 1}}));
  CHECK(hidden.time == Approx(11));
  CHECK(hidden.compute == Approx(10));
  // Communication bound: the first gradients, then one exchange after another.
  const Moment bound = overlapped_iteration(shape_of(10, 0, {{4, 8}, {6, 8}}));
  CHECK(bound.time == Approx(20));
  CHECK(bound.compute == Approx(4));
  CHECK(parts(bound) == Approx(bound.time));
  CHECK(overlapped_iteration(shape_of(3, 0, {})).time == Approx(3));
}

TEST_CASE("K = 1 is synchronous, Eq. 2", "[models][forms]") {
  const IterationShape shape = shape_of(3, 0.5, {{3, 2}});
  CHECK(training_run(10, 1, 1, shape).time == Approx(synchronous_run(10, {0.5, 1, 2, 2})));
  CHECK(training_run(0, 1, 1, shape).time == 0);
}

TEST_CASE("K >= 2 tends to the resource bound, Eq. 4, whatever K", "[models][forms]") {
  for (const double communication : {1.0, 3.5, 9.0})
    for (const int k : {2, 3, 5}) {
      const IterationShape shape = shape_of(3, 0.5, {{3, communication}});
      const double step = training_run(101, k, 1, shape).time - training_run(100, k, 1, shape).time;
      CHECK(step == Approx(bounded_pipeline_run(1, {0.5, 1, 2, communication})));
    }
}

TEST_CASE("every k-th step exchanges, the others update alone", "[models][forms]") {
  const IterationShape shape = shape_of(3, 0.5, {{3, 2}});
  CHECK(training_run(7, 1, 3, shape).time == Approx(7 * 3.5 + 2 * 2));
  // Two in flight: all exchanges except the last are hidden. The last one overlaps with the update of the iteration
  // before it.
  CHECK(training_run(6, 2, 2, shape).time == Approx(6 * 3.5 + 2 - 0.5));
}

TEST_CASE("pipelined runs against two threads on arrays", "[models][forms]") {
  REQUIRE(rc::check("training_run", [] {
    const int iterations = *rc::gen::inRange(1, 40), k = *rc::gen::inRange(1, 6), buckets = *rc::gen::inRange(1, 5);
    const double compute = *rc::gen::inRange(0, 100), update = *rc::gen::inRange(0, 20);
    std::vector<std::pair<double, double>> exchanges;
    for (int b = 0; b < buckets; ++b)
      exchanges.emplace_back(compute * (b + 1) / buckets, static_cast<double>(*rc::gen::inRange(0, 60)));
    const IterationShape shape = shape_of(compute, update, exchanges);
    const Moment run = training_run(iterations, k, 1, shape);
    const double walked = two_threads(iterations, k, shape);
    RC_ASSERT(std::abs(run.time - walked) <= 1e-9 * (1 + walked));
    RC_ASSERT(std::abs(parts(run) - run.time) <= 1e-9 * (1 + walked));
  }));
}

TEST_CASE("a ring in pieces against every rank's steps", "[models][forms]") {
  REQUIRE(rc::check("allreduce_ring_pieces", [] {
    const int p = *rc::gen::inRange(1, 12), pieces = *rc::gen::inRange(1, 9);
    const LinkParameters link{1e-6 * *rc::gen::inRange(0, 100), 1e-9 * *rc::gen::inRange(0, 20),
                              1e-9 * *rc::gen::inRange(0, 60)};
    const Moment form = allreduce_ring_pieces(p, pieces, 1e4, link);
    const double walked = walk_pieces(p, pieces, 1e4, link);
    RC_ASSERT(std::abs(form.time - walked) <= 1e-9 * walked);
    RC_ASSERT(std::abs(parts(form) - form.time) <= 1e-9 * walked);
  }));
}

TEST_CASE("limits of the ring in pieces", "[models][forms]") {
  const LinkParameters link{1e-6, 1e-9, 4e-10};
  CHECK(allreduce_ring_pieces(8, 1, 1e5, link).time == Approx(allreduce_ring_blocks(8, 1e5, link).total()));
  // C >= 2 and g <= x: the reductions are hidden.
  CHECK(allreduce_ring_pieces(8, 4, 1e5, link).time == Approx(2 * 7 * 4 * (1e-6 + 1e-4)));
  // Slow reductions limit the first half, one after another. Then follow the transfers of the second half's last
  // pieces.
  const LinkParameters slow{0, 1e-9, 1e-6};
  CHECK(allreduce_ring_pieces(8, 4, 1e5, slow).time >= 7 * 4 * 1e-1);
  CHECK(allreduce_ring_pieces(1, 4, 1e5, link).time == 0);
}
