// Times so long that doubles hold few digits of them, or none.
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("no part of the critical path is negative, however late and coarse the clock is") {
  const Algorithm algorithm = GENERATE(Algorithm::ring, Algorithm::halving_doubling, Algorithm::parameter_server);
  Scenario s = star(4, 1000, algorithm);
  s.engine.shortcuts = GENERATE(true, false);
  s.workload.layers[0].forward = 1e12; // instants are then 0.1 ms apart
  for (const Outcome& o : {run(s), run(s, EngineKind::simgrid)}) {
    for (int part = 0; part < part_count; ++part) REQUIRE(at(o.path, static_cast<Part>(part)) >= 0);
    if (algorithm != Algorithm::parameter_server) REQUIRE(at(o.path, Part::contention) == 0); // nothing is shared
    REQUIRE(sum(o.path) == Approx(o.time).epsilon(1e-12));
  }
}
