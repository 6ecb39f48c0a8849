#include "models/forms/form_collectives.hpp"
#include "tests/oracles/form_hierarchical.hpp"
#include "tests/oracles/form_textbook.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace gradflight;

namespace {
constexpr LinkParameters pcie{2e-6, 1e-10, 5e-11}, network{1e-5, 1.0 / 7e9, 5e-11};
}

TEST_CASE("a group's way up, three variants of GradientFlow's phase 1", "[models][forms]") {
  const double n = 1e8;
  const CollectiveCost ring = group_reduce_ring_in_turn(8, n, pcie);
  CHECK(ring.alpha == Approx(2 * 7 * pcie.alpha));
  CHECK(ring.beta == Approx(2 * 7.0 / 8 * n * pcie.beta));
  CHECK(group_reduce_ring(8, n, pcie).alpha == Approx(8 * pcie.alpha));
  CHECK(group_reduce_chain(8, n, pcie).total() == Approx(7 * (pcie.alpha + n * (pcie.beta + pcie.gamma))));
  CHECK(group_reduce_chain_sliced(8, 1, n, pcie).total() == Approx(7 * (pcie.alpha + n * pcie.beta)));
  // Many slices and messages without latency: n beta.
  CHECK(group_reduce_chain_sliced(8, 1 << 20, n, {0, pcie.beta, 0}).total() == Approx(n * pcie.beta).epsilon(1e-5));
}

TEST_CASE("slices pass along the chain as in a pipeline", "[models][forms]") {
  for (const int members : {2, 3, 8})
    for (const int slices : {1, 2, 7}) {
      const double x = pcie.alpha + 1e6 / slices * pcie.beta;
      std::vector<double> free_at(static_cast<std::size_t>(members) - 1, 0);
      double last = 0;
      for (int s = 0; s < slices; ++s) {
        double here = 0; // the slice is at the chain's first member
        for (double& hop : free_at) here = hop = std::max(hop, here) + x;
        last = here;
      }
      CHECK(group_broadcast_chain_sliced(members, slices, 1e6, pcie).total() == Approx(last));
    }
}

TEST_CASE("flat groups with and without an aggregator of their own", "[models][forms]") {
  CHECK(group_reduce_flat(4, false, 1e6, network).beta == Approx(3e6 * network.beta));
  CHECK(group_reduce_flat(4, true, 1e6, network).beta == Approx(4e6 * network.beta));
  CHECK(group_reduce_flat(4, true, 1e6, network).gamma == Approx(3e6 * network.gamma));
  CHECK(group_broadcast_flat(4, true, 1e6, network).total() == Approx(network.alpha + 4e6 * network.beta));
  CHECK(group_reduce_flat(1, false, 1e6, network).total() == 0);
}

TEST_CASE("one group is no hierarchy, groups of one are a ring", "[models][forms]") {
  const double n = 1e7;
  CHECK(hierarchical_allreduce(16, 1, n, pcie, network).total() == Approx(allreduce_ring(16, n, network).total()));
  CHECK(hierarchical_allreduce(1, 8, n, pcie, network).total() ==
        Approx(group_reduce_ring(8, n, pcie).total() + broadcast_binomial(8, n, pcie).total()));
}

TEST_CASE("the paper's message of K M / N agrees with K / M only where M = sqrt N", "[models][forms]") {
  const double k = 1e8;
  const LinkParameters bytes_only{0, 1, 0};
  const auto message = [&](int groups) { return allreduce_ring(groups, k, bytes_only).beta / (2 * (groups - 1)); };
  CHECK(message(4) == Approx(k * 4 / 16));
  CHECK(message(16) != Approx(k * 16 / 128));
}
