#include "models/forms/form_collectives.hpp"
#include "tests/oracles/form_textbook.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

using namespace gradflight;

namespace {

constexpr LinkParameters sample{3e-6, 8e-10, 2e-10};

/// Adds a step in which every rank moves `bytes` and reduces `reduced` of them.
void step(CollectiveCost& sum, const LinkParameters& link, double bytes, double reduced) {
  sum += {link.alpha, bytes * link.beta, reduced * link.gamma};
}

void require_equal(const CollectiveCost& a, const CollectiveCost& b) {
  CHECK(a.alpha == Approx(b.alpha).epsilon(1e-12).margin(1e-18));
  CHECK(a.beta == Approx(b.beta).epsilon(1e-12).margin(1e-18));
  CHECK(a.gamma == Approx(b.gamma).epsilon(1e-12).margin(1e-18));
}

/// Blocks moved by hand: for each block of a rank, the number of ranks in its sum.
struct CountedBlocks {
  std::vector<std::vector<int>> count;
  explicit CountedBlocks(int p)
      : count(static_cast<std::size_t>(p), std::vector<int>(static_cast<std::size_t>(p), 1)) {}
  int& at(int rank, int block) { return count[static_cast<std::size_t>(rank)][static_cast<std::size_t>(block)]; }
  [[nodiscard]] bool complete(int p) const {
    for (const auto& row : count)
      for (const int c : row)
        if (c != p) return false;
    return true;
  }
};

/// INCEPTIONN Alg. 1 on counts, with the cost of every step.
CollectiveCost walk_ring(int p, double n, const LinkParameters& link) {
  CountedBlocks blocks(p);
  CollectiveCost sum;
  for (int s = 0; s < 2 * (p - 1); ++s) {
    const bool reducing = s < p - 1;
    CountedBlocks before = blocks;
    for (int i = 0; i < p; ++i) {
      const int from = (i - 1 + p) % p, block = ((from - s) % p + p) % p;
      blocks.at(i, block) = before.at(from, block) + (reducing ? before.at(i, block) : 0);
    }
    step(sum, link, n / p, reducing ? n / p : 0);
  }
  REQUIRE(blocks.complete(p));
  return sum;
}

/// Rabenseifner's algorithm on counts: halves the range of blocks, then doubles it.
CollectiveCost walk_halving_doubling(int p, double n, const LinkParameters& link) {
  CountedBlocks blocks(p);
  CollectiveCost sum;
  for (int distance = 1, held = p; distance < p; distance *= 2) {
    held /= 2;
    CountedBlocks before = blocks;
    for (int i = 0; i < p; ++i)
      for (int b = 0; b < p; ++b)
        if ((b & (2 * distance - 1)) == (i & (2 * distance - 1))) blocks.at(i, b) += before.at(i ^ distance, b);
    step(sum, link, held * n / p, held * n / p);
  }
  for (int distance = p / 2, held = 1; distance >= 1; distance /= 2, held *= 2) {
    CountedBlocks before = blocks;
    for (int i = 0; i < p; ++i)
      for (int b = 0; b < p; ++b)
        if ((b & (2 * distance - 1)) == ((i ^ distance) & (2 * distance - 1)))
          blocks.at(i, b) = before.at(i ^ distance, b);
    step(sum, link, held * n / p, 0);
  }
  REQUIRE(blocks.complete(p));
  return sum;
}

/// Returns when `node` of a binomial tree over p has the sum of its subtree. A child's message starts when both sides
/// are ready.
double walk_tree(int p, int node, double n, const LinkParameters& link, bool takes_first) {
  double time = 0;
  for (int d = 1; node % (2 * d) == 0 && node + d < p; d *= 2) {
    time = std::max(time, walk_tree(p, node + d, n, link, false)) + link.alpha + n * link.beta;
    if (d > 1 || !takes_first) time += n * link.gamma;
  }
  return time;
}

} // namespace

TEST_CASE("the ring costs what Alg. 1 costs step by step", "[models][forms]") {
  for (const int p : {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 64})
    require_equal(allreduce_ring(p, 1e6, sample), walk_ring(p, 1e6, sample));
}

TEST_CASE("halving-doubling costs what its rounds cost", "[models][forms]") {
  for (const int p : {1, 2, 4, 8, 16, 64})
    require_equal(allreduce_halving_doubling(p, 1e6, sample), walk_halving_doubling(p, 1e6, sample));
}

TEST_CASE("folds add two messages and one reduction", "[models][forms]") {
  for (const int p : {3, 5, 6, 7, 31, 33}) {
    const int p2 = power_of_two_below(p);
    CHECK(p2 <= p);
    CHECK(2 * p2 > p);
    const CollectiveCost fold{2 * sample.alpha, 2e6 * sample.beta, 1e6 * sample.gamma};
    require_equal(allreduce_recursive_doubling(p, 1e6, sample), allreduce_recursive_doubling(p2, 1e6, sample) + fold);
    require_equal(allreduce_halving_doubling(p, 1e6, sample), allreduce_halving_doubling(p2, 1e6, sample) + fold);
  }
}

TEST_CASE("recursive doubling: three rounds of whole vectors among eight", "[models][forms]") {
  CollectiveCost sum;
  for (int round = 0; round < 3; ++round) step(sum, sample, 5e5, 5e5);
  require_equal(allreduce_recursive_doubling(8, 5e5, sample), sum);
}

TEST_CASE("all-gathers agree on bytes and differ in messages", "[models][forms]") {
  for (const int p : {2, 3, 5, 8, 21}) {
    CollectiveCost bruck, ring;
    for (int held = 1; held < p; held *= 2) step(bruck, sample, std::min(held, p - held) * 1e6 / p, 0);
    for (int s = 1; s < p; ++s) step(ring, sample, 1e6 / p, 0);
    require_equal(allgather_bruck(p, 1e6, sample), bruck);
    require_equal(allgather_ring(p, 1e6, sample), ring);
  }
  require_equal(allgather_recursive_doubling(16, 1e6, sample), allgather_bruck(16, 1e6, sample));
}

TEST_CASE("broadcasts: rounds, scatter and all-gather", "[models][forms]") {
  for (const int p : {1, 2, 3, 8, 9, 64}) {
    CollectiveCost rounds;
    for (int informed = 1; informed < p; informed *= 2) step(rounds, sample, 1e6, 0);
    require_equal(broadcast_binomial(p, 1e6, sample), rounds);
  }
  CollectiveCost scatter;
  for (int half = 4; half >= 1; half /= 2) step(scatter, sample, half * 1e6 / 8, 0);
  require_equal(broadcast_van_de_geijn_ring(8, 1e6, sample), scatter + allgather_ring(8, 1e6, sample));
  require_equal(broadcast_van_de_geijn_doubling(8, 1e6, sample),
                scatter + allgather_recursive_doubling(8, 1e6, sample));
}

TEST_CASE("reduce-scatters and reduces", "[models][forms]") {
  const double n = 1e6;
  for (const int p : {2, 8, 32}) {
    CollectiveCost halving, doubling, pairwise;
    for (int blocks = p / 2; blocks >= 1; blocks /= 2) step(halving, sample, blocks * n / p, blocks * n / p);
    for (int held = 1; held < p; held *= 2) step(doubling, sample, n - held * n / p, n - held * n / p);
    for (int s = 1; s < p; ++s) step(pairwise, sample, n / p, n / p);
    require_equal(reduce_scatter_halving(p, n, sample), halving);
    require_equal(reduce_scatter_doubling(p, n, sample), doubling);
    require_equal(reduce_scatter_pairwise(p, n, sample), pairwise);
    CollectiveCost gather;
    for (int held = 1; held < p; held *= 2) step(gather, sample, held * n / p, 0);
    require_equal(reduce_rabenseifner(p, n, sample), halving + gather);
    require_equal(alltoall_pairwise(p, n, sample), {(p - 1) * sample.alpha, n * sample.beta, 0});
  }
}

TEST_CASE("one rank exchanges nothing", "[models][forms]") {
  using Form = std::function<CollectiveCost(int, double, const LinkParameters&)>;
  for (const Form& form : std::vector<Form>{
           allgather_ring, allgather_recursive_doubling, allgather_bruck, broadcast_binomial,
           broadcast_van_de_geijn_ring, broadcast_van_de_geijn_doubling, reduce_scatter_halving,
           reduce_scatter_doubling, reduce_scatter_pairwise, reduce_binomial, reduce_rabenseifner, allreduce_ring,
           allreduce_recursive_doubling, allreduce_halving_doubling, allreduce_binomial_tree, alltoall_pairwise})
    CHECK(form(1, 1e6, sample).total() == 0);
}

TEST_CASE("binomial trees to a member and to an aggregator, any number of nodes", "[models][forms]") {
  for (int p = 1; p <= 130; ++p) {
    CAPTURE(p);
    CHECK(reduce_binomial(p, 1e6, sample).total() == Approx(walk_tree(p, 0, 1e6, sample, false)).epsilon(1e-12));
    if (p < 2) continue;
    CHECK(reduce_binomial_to_aggregator(p, 1e6, sample).total() ==
          Approx(walk_tree(p, 0, 1e6, sample, true)).epsilon(1e-12));
  }
}
