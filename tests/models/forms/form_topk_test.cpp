#include "models/forms/form_collectives.hpp"

#include "models/codecs/selection/topk_entries.hpp"
#include "tests/oracles/form_training_step.hpp"

#include <catch2/catch.hpp>
#include <map>

using namespace gradflight;

namespace {
// gTop-k Fig. 9 (left) as plotted by its authors' script: m = 25 * 2^20 elements, density 0.001, beta = 9e-6 ms/B, and
// 1 ms instead of alpha in Table I (docs/closed-forms.md).
constexpr LinkParameters plotted{1e-3, 9e-9, 0};
const double list = 8 * 0.001 * 25 * 1024 * 1024;
} // namespace

TEST_CASE("gTop-k Fig. 9, in ms", "[models][forms]") {
  const std::map<int, std::pair<double, double>> figure = {{4, {7.662, 11.55}},
                                                           {8, {16.212, 17.325}},
                                                           {16, {32.312, 23.099}},
                                                           {32, {63.511, 28.874}},
                                                           {64, {124.909, 34.649}}};
  for (const auto& [p, values] : figure) {
    CAPTURE(p);
    CHECK(topk_allgather(p, list, plotted).total() * 1e3 == Approx(values.first).margin(6e-4));
    CHECK(gtopk_allreduce(p, list, plotted).total() * 1e3 == Approx(values.second).margin(6e-4));
  }
}

TEST_CASE("Table I in the paper's symbols: k bytes of values, 2k with their indices", "[models][forms]") {
  const LinkParameters link{0.436e-3, 9e-9, 0};
  const double k = 1e5;
  CHECK(topk_allgather(32, 2 * k, link).total() == Approx(5 * link.alpha + 2 * 31 * k * link.beta));
  CHECK(gtopk_allreduce(32, 2 * k, link).total() == Approx(2 * 5 * link.alpha + 4 * k * 5 * link.beta));
  CHECK(dense_allreduce_as_printed(32, 1e8, link).total() == Approx(62 * link.alpha + 2 * 31.0 / 32 * 1e8 * link.beta));
}

TEST_CASE("entries of a selection", "[models][forms]") {
  CHECK(topk_entries(0.001, 25557032) == 25557);
  CHECK(topk_entries(0.001, 10) == 1);
  CHECK(topk_entries(1, 10) == 10);
  CHECK(topk_entries(0.29, 100) == 29); // 0.29 * 100 is 28.999999999999996
  CHECK(topk_entries(0.5, 0) == 0);
  CHECK(topk_list_bytes(25557) == 204456);
}

TEST_CASE("Eq. 4: efficiency falls with communication", "[models][forms]") {
  CHECK(scaling_efficiency(1, 2, 0) == 1);
  CHECK(scaling_efficiency(1, 2, 3) == Approx(0.5));
  CHECK(scaling_efficiency(0, 0, 0) == 1);
  CHECK(scaling_efficiency(0, 0, 1) == 0);
}

TEST_CASE("merges take gamma's place", "[models][forms]") {
  CHECK(gtopk_allreduce(8, 1000, {0, 0, 1e-9}).total() == Approx(3 * 1000 * 1e-9));
  CHECK(topk_allgather(8, 1000, {0, 0, 1e-9}).total() == Approx(7 * 1000 * 1e-9));
  CHECK(topk_allgather_ring(8, 1000, {0, 0, 1e-9}).total() == Approx(7 * 1000 * 1e-9));
}

TEST_CASE("lists round a ring: a start-up a list", "[models][forms]") {
  CHECK(topk_allgather_ring(8, 1000, {1e-4, 1e-9, 0}).total() == Approx(7 * (1e-4 + 1000 * 1e-9)));
  CHECK(topk_allgather_ring(1, 1000, {1e-4, 1e-9, 1e-9}).total() == 0);
}
