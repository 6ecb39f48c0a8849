// The places and speeds of a job's ranks: placements, helpers on nodes of their own or on workers', switches,
// overrides.
#include "platforms/code/platform.hpp"
#include "sim/training/rank_layout.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Places = std::vector<std::int32_t>;

namespace {

RankLayout layout_of(const Scenario& s, const Places& switches = {}) {
  const Platform platform = build_platform(s.platform, 4);
  return {s, s.phases.front().training.exchange, platform, switches};
}

Scenario two_nodes_of_three(Algorithm algorithm) {
  Scenario s = star(2, 1000, algorithm);
  s.platform.gpus_per_node = 3;
  return s;
}

} // namespace

TEST_CASE("workers fill nodes or alternate between them") {
  Scenario s = two_nodes_of_three(Algorithm::ring);
  CHECK(layout_of(s).places() == Places{0, 1, 2, 3, 4, 5});
  s.placement = Placement::cyclic;
  const RankLayout cyclic = layout_of(s);
  CHECK(cyclic.places() == Places{0, 3, 1, 4, 2, 5});
  CHECK(cyclic.workers() == 6);
  CHECK(cyclic.helpers() == 0);
  CHECK(cyclic.node(2) == 0);
  CHECK(cyclic.node(3) == 1);
}

TEST_CASE("servers have nodes of their own, or the places of the first workers") {
  Scenario s = two_nodes_of_three(Algorithm::parameter_server);
  training(s).exchange.servers = 2;
  const RankLayout apart = layout_of(s);
  CHECK(apart.size() == 8);
  CHECK(apart.workers() == 6);
  CHECK(apart.helpers() == 2);
  CHECK_FALSE(apart.is_helper(5));
  CHECK(apart.is_helper(6));
  CHECK(apart.place(6) == 6);
  CHECK(apart.place(7) == 7);
  CHECK(apart.way(6, 7) == RankLayout::Way::between_nodes);
  training(s).exchange.colocated = true;
  const RankLayout colocated = layout_of(s);
  CHECK(colocated.places() == Places{0, 1, 2, 3, 4, 5, 0, 1});
  CHECK(colocated.way(0, 6) == RankLayout::Way::own_place);
  CHECK(colocated.way(0, 7) == RankLayout::Way::own_node);
  CHECK(colocated.way(3, 7) == RankLayout::Way::between_nodes);
}

TEST_CASE("servers of a later job follow those of the jobs before, and workers are on its GPUs") {
  Scenario s = two_nodes_of_three(Algorithm::parameter_server);
  s.seat.emplace();
  s.seat->gpus = {4, 1};
  s.seat->helpers_before = 2;
  CHECK(layout_of(s).places() == Places{4, 1, 8});
}

TEST_CASE("switches of calls come after the workers") {
  const RankLayout layout = layout_of(two_nodes_of_three(Algorithm::ring), {7, 6});
  CHECK(layout.places() == Places{0, 1, 2, 3, 4, 5, 7, 6});
  CHECK(layout.helpers() == 2);
  CHECK(layout.is_helper(6));
}

TEST_CASE("ranks compute and reduce as fast as their places") {
  Scenario s = two_nodes_of_three(Algorithm::ring);
  CHECK(layout_of(s).equally_fast());
  NodeOverride slow;
  slow.nodes = {1};
  slow.compute_speed = 0.25;
  slow.reduce_bandwidth = ByteRate(2e9);
  s.platform.node_overrides = {slow};
  s.placement = Placement::cyclic;
  const RankLayout layout = layout_of(s);
  CHECK_FALSE(layout.equally_fast());
  CHECK(layout.slowness(0) == 1);
  CHECK(layout.slowness(1) == 4);
  CHECK(layout.gamma(0) == 1 / 10e9);
  CHECK(layout.gamma(1) == 1 / 2e9);
  s.platform.node_overrides.clear();
  s.platform.reduce_bandwidth.reset();
  CHECK(layout_of(s).gamma(0) == 0);
}
