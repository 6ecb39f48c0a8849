// Times so long that doubles have few or no digits for their differences.
#include "scenarios/language/types/training.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("a time that no double holds is called that, not a deadlock") {
  Scenario s = star(4, 1000, Algorithm::ring);
  s.engine.shortcuts = GENERATE(true, false);
  SECTION("latencies") { s.platform.network.link.latency = Seconds(1.7e308); }
  SECTION("a message") { s.platform.network.link.bandwidth = ByteRate(5e-324); }
  SECTION("messages that share a link") {
    s.platform.network.link.bandwidth = ByteRate(5e-324);
    training(s).exchange.algorithm = Algorithm::parameter_server;
  }
  SECTION("reductions") { s.platform.reduce_bandwidth = ByteRate(1e-308); }
  SECTION("no reduction, of nothing, at no rate") {
    s.platform.reduce_bandwidth = ByteRate(1e-323);
    s.workload.layers[0].tensors[0].elements = 1;
  }
  SECTION("a slow node") {
    s.workload.layers[0].forward = 10;
    s.platform.node_overrides.push_back({});
    s.platform.node_overrides[0].nodes = {2};
    s.platform.node_overrides[0].compute_speed = 1e-308;
  }
  SECTION("layers") {
    s.workload.layers[0].forward = 1e308;
    s.workload.layers.push_back(s.workload.layers[0]);
  }
  for (const ForkedRun& o : {run(s), run_on_simgrid_clock(s), run(s, EngineKind::simgrid)}) {
    REQUIRE(o.failed);
    REQUIRE(o.message == "the simulated time exceeds 1.8e+308 s, the largest double");
    REQUIRE(!o.blocked.empty());
  }
}

TEST_CASE("no part of the critical path is negative, however late and coarse the clock is") {
  const Algorithm algorithm = GENERATE(Algorithm::ring, Algorithm::halving_doubling, Algorithm::parameter_server);
  Scenario s = star(4, 1000, algorithm);
  s.engine.shortcuts = GENERATE(true, false);
  s.workload.layers[0].forward = 1e12; // consecutive doubles are then 0.1 ms apart
  for (const ForkedRun& o : {run(s), run(s, EngineKind::simgrid)}) {
    for (int part = 0; part < part_count; ++part) REQUIRE(at(o.path, static_cast<Part>(part)) >= 0);
    if (algorithm != Algorithm::parameter_server) REQUIRE(at(o.path, Part::contention) == 0); // no link is shared
    REQUIRE(sum(o.path) == Approx(o.time).epsilon(1e-12));
  }
}
