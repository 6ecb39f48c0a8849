#include "workloads/code/compute.hpp"

#include "tests/workloads/catalogue.hpp"

#include <rapidcheck.h>

#include <cmath>
#include <limits>

using namespace gradflight;

namespace {

Workload with_layers(std::size_t count) {
  Workload workload;
  workload.layers.resize(count);
  return workload;
}

} // namespace

TEST_CASE("a measured total is split in proportion to FLOPs") {
  Workload workload = with_layers(3);
  const std::vector<LayerFlops> flops{{1, 6}, {0, 0}, {3, 2}};
  split_by_flops(workload.layers, flops, 8, 4);
  CHECK(workload.layers[0].forward == 2);
  CHECK(workload.layers[1].forward == 0);
  CHECK(workload.layers[2].forward == 6);
  CHECK(workload.layers[0].backward == 3);
  CHECK(workload.layers[1].backward == 0);
  CHECK(workload.layers[2].backward == 1);

  split_by_flops(workload.layers, flops, 24); // 12 FLOPs in total: 2 s each
  CHECK(workload.layers[0].forward == 2);
  CHECK(workload.layers[0].backward == 12);
  CHECK(workload.layers[2].forward == 6);
  CHECK(workload.layers[2].backward == 4);
}

TEST_CASE("FLOPs that add up to no number are refused, not taken for none") {
  Workload workload = with_layers(2);
  CHECK_THROWS_WITH(split_by_flops(workload.layers, {{1e308, 0}, {1e308, 0}}, 1),
                    "the sum of the layers' FLOPs is not finite");
}

TEST_CASE("the parts sum to the total") {
  REQUIRE(rc::check("split", [] {
    std::vector<LayerFlops> flops{{1, 1}};
    const int count = *rc::gen::inRange(0, 200);
    for (int i = 0; i < count; ++i)
      flops.push_back({double(*rc::gen::inRange(0, 1 << 30)), double(*rc::gen::inRange(0, 1 << 30))});
    const double forward = *rc::gen::inRange(1, 1 << 30) * 1e-9, backward = *rc::gen::inRange(1, 1 << 30) * 1e-9;
    Workload workload = with_layers(flops.size());
    split_by_flops(workload.layers, flops, forward, backward);
    RC_ASSERT(std::abs(workload.forward() - forward) <= 1e-13 * forward);
    RC_ASSERT(std::abs(workload.backward() - backward) <= 1e-13 * backward);
    split_by_flops(workload.layers, flops, forward);
    RC_ASSERT(std::abs(workload.forward() + workload.backward() - forward) <= 1e-13 * forward);
  }));
}

TEST_CASE("times from a rate") {
  Workload workload = with_layers(2);
  times_from_rate(workload.layers, {{3e9, 6e9}, {0, 0}}, 6e12, 3e12, 32);
  CHECK(workload.layers[0].forward == Approx(0.016).epsilon(1e-15));
  CHECK(workload.layers[0].backward == Approx(0.064).epsilon(1e-15));
  CHECK(workload.forward() == workload.layers[0].forward);
  CHECK(workload.backward() == workload.layers[0].backward);
}

TEST_CASE("FLOPs, times and rates that make no sense are refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Workload workload = with_layers(2);
  const std::vector<LayerFlops> flops{{1, 2}, {3, 4}};
  CHECK_THROWS_AS(split_by_flops(workload.layers, {{1, 1}}, 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(split_by_flops(workload.layers, {{0, 0}, {0, 0}}, 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(split_by_flops(workload.layers, {{1, 0}, {1, 0}}, 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(split_by_flops(workload.layers, {{0, 0}, {0, 0}}, 1), std::invalid_argument);
  CHECK_THROWS_AS(split_by_flops(workload.layers, {{1, 1}, {-1, 1}}, 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(split_by_flops(workload.layers, {{1, 1}, {1, nan}}, 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(split_by_flops(workload.layers, flops, -1, 1), std::invalid_argument);
  CHECK_THROWS_AS(split_by_flops(workload.layers, flops, 1, nan), std::invalid_argument);
  CHECK_THROWS_AS(split_by_flops(workload.layers, flops, infinity), std::invalid_argument);
  CHECK_THROWS_AS(times_from_rate(workload.layers, flops, 0, 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(times_from_rate(workload.layers, flops, 1, nan, 1), std::invalid_argument);
  CHECK_THROWS_AS(times_from_rate(workload.layers, flops, 1, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(times_from_rate(workload.layers, {{1, 1}}, 1, 1, 1), std::invalid_argument);
}
