// Ranks whose passes take unequal times: a synchronous step waits for the slowest, in either engine.
#include "tests/support/forked.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

constexpr double forward = 0.010, backward = 0.020, update = 0.001;

Scenario jittery_ring(int p, std::int64_t iterations) {
  Scenario s = star(p, 1000 * p, Algorithm::ring, 10e9);
  s.workload.layers.front().forward = forward;
  s.workload.layers.front().backward = backward;
  s.workload.update = update;
  s.phases.back().training.iterations = iterations;
  s.platform.jitter = Jitter{Jitter::Distribution::exponential, 0.1, 42};
  return s;
}

} // namespace

TEST_CASE("Every iteration takes as long as its slowest rank's passes, the exchange and the update") {
  for (const int p : {2, 5, 16}) {
    const Scenario s = jittery_ring(p, 6);
    Scenario steady = s;
    steady.platform.jitter.reset();
    const Outcome without = run(steady, EngineKind::hybrid);
    REQUIRE(!without.failed);
    double expected = without.time;
    for (int i = 0; i < 6; ++i) {
      double slowest = 0;
      for (int r = 0; r < p; ++r) slowest = std::max(slowest, jitter_factor(*s.platform.jitter, 0, r, i));
      expected += (slowest - 1) * (forward + backward);
    }
    for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid}) {
      const Outcome o = run(s, engine);
      INFO(o.message);
      REQUIRE(!o.failed);
      CHECK(o.time == Approx(expected).epsilon(1e-9));
    }
    Scenario whole = s;
    whole.engine.shortcuts = false;
    CHECK(run(whole, EngineKind::hybrid).time == run(s, EngineKind::hybrid).time);
  }
}

TEST_CASE("Another seed gives other times; the same seed the same bits") {
  const Scenario s = jittery_ring(4, 3);
  Scenario other = s;
  other.platform.jitter->seed = 43;
  CHECK(run(s, EngineKind::hybrid).time == run(s, EngineKind::hybrid).time);
  CHECK(run(s, EngineKind::hybrid).time != run(other, EngineKind::hybrid).time);
}
