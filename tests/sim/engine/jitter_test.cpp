// Ranks with passes of unequal times: a synchronous step waits for the slowest rank, in both engines.
#include "scenarios/language/types/scenario.hpp"
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
    const ForkedRun without = run(steady, EngineKind::hybrid);
    REQUIRE(!without.failed);
    double expected = without.time;
    for (int i = 0; i < 6; ++i) {
      double slowest = 0;
      for (int r = 0; r < p; ++r) slowest = std::max(slowest, jitter_factor(*s.platform.jitter, 0, r, i));
      expected += (slowest - 1) * (forward + backward);
    }
    for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid}) {
      const ForkedRun o = run(s, engine);
      INFO(o.message);
      REQUIRE(!o.failed);
      CHECK(o.time == Approx(expected).epsilon(1e-9));
    }
    Scenario whole = s;
    whole.engine.shortcuts = false;
    CHECK(run(whole, EngineKind::hybrid).time == run(s, EngineKind::hybrid).time);
  }
}

namespace {

Scenario overlapped(int p, double rate) {
  Scenario s = star(p, 1, Algorithm::ring, 10e9);
  s.workload.layers.clear();
  for (int l = 0; l < 4; ++l) s.workload.layers.push_back({"l", 1e-4, 3e-4, {{"w", 50'000 * p}}});
  s.workload.update = 1e-4;
  training(s).granularity.kind = Granularity::Kind::tensor;
  training(s).overlap = {OverlapKind::layerwise, 1};
  training(s).iterations = 3;
  if (rate < 1) s.platform.rate_while_computing = rate;
  return s;
}

} // namespace

TEST_CASE("Messages beside compute are slow from the step that sets out beside it, to the step after it") {
  // Two ranks. Each ring has 2 steps of 10 us + 200,000 B / 1.25 GB/s = 170 us, and twice that during compute; the
  // first also reduces 200,000 B in 20 us. Backward passes end at 0.7, 1.0, 1.3 and 1.6 ms.
  Scenario s = overlapped(2, 0.5);
  training(s).iterations = 1;
  const double step = 170e-6, reduce = 20e-6;
  double end = 0.7e-3;
  const double ready[] = {0.7e-3, 1.0e-3, 1.3e-3, 1.6e-3};
  for (const double r : ready) {
    end = std::max(end, r);
    for (const double extra : {reduce, 0.0}) end += (end < 1.6e-3 - 1e-9 ? 2 * step : step) + extra;
  }
  for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid}) {
    const ForkedRun o = run(s, engine);
    INFO(o.message);
    REQUIRE(!o.failed);
    CHECK(o.time == Approx(end + 1e-4).epsilon(1e-9));
    CHECK(sum(o.path) == Approx(o.time).epsilon(1e-12));
    CHECK(at(o.path, Part::interference) > 0);
  }
}

TEST_CASE("A rate of 1 changes nothing: engines and the shortcut agree on slower ones") {
  for (const int p : {2, 5, 8}) {
    Scenario s = overlapped(p, 1);
    const double unslowed = run(s, EngineKind::hybrid).time;
    s.platform.rate_while_computing = 1;
    CHECK(run(s, EngineKind::hybrid).time == unslowed);
    for (const double rate : {0.9, 0.5, 0.1})
      for (const bool jitter : {false, true}) {
        Scenario slow = overlapped(p, rate);
        if (jitter) slow.platform.jitter = Jitter{Jitter::Distribution::normal, 0.05, 1};
        const ForkedRun shortcut = run(slow, EngineKind::hybrid);
        const ForkedRun reference = run(slow, EngineKind::simgrid);
        slow.engine.shortcuts = false;
        const ForkedRun plain = run(slow, EngineKind::hybrid);
        CHECK(shortcut.time > unslowed);
        CHECK(shortcut.time == Approx(plain.time).epsilon(1e-12));
        CHECK(shortcut.exposed == Approx(plain.exposed).epsilon(1e-9));
        CHECK(reference.time == Approx(plain.time).epsilon(1e-9));
        for (std::size_t l = 0; l < plain.link_busy.size(); ++l)
          CHECK(shortcut.link_busy[l] == Approx(plain.link_busy[l]).epsilon(1e-9));
        for (std::size_t part = 0; part < plain.path.size(); ++part)
          CHECK(shortcut.path[part] == Approx(plain.path[part]).margin(1e-9 * plain.time));
      }
  }
}

TEST_CASE("Without overlap no message sets out beside compute") {
  Scenario s = overlapped(4, 0.5);
  training(s).overlap = {};
  Scenario unslowed = s;
  unslowed.platform.rate_while_computing.reset();
  CHECK(run(s, EngineKind::hybrid).time == run(unslowed, EngineKind::hybrid).time);
}

TEST_CASE("At a barrier the exchange begins with the slowest worker") {
  // Rank 0 computes for 5 ms, and the others for 1 ms. Each pushes 1 MB (0.8 ms alone) to one server, which sends it
  // back.
  Scenario s = star(4, 250'000, Algorithm::parameter_server, 0);
  s.workload.layers.front().backward = 1e-3;
  NodeOverride slow;
  slow.nodes = {0};
  slow.compute_speed = 0.2;
  s.platform.node_overrides.push_back(slow);
  Scenario together = s;
  training(together).exchange.barrier = true;
  const double push = 0.8e-3, alpha = 10e-6;
  for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid}) {
    // Without a barrier, three pushes end before the fourth starts. With one, all four share the server's link.
    CHECK(run(s, engine).time == Approx(5e-3 + push + 4 * push + 2 * alpha).epsilon(1e-9));
    const ForkedRun o = run(together, engine);
    INFO(o.message);
    REQUIRE(!o.failed);
    CHECK(o.time == Approx(5e-3 + 4 * push + 4 * push + 2 * alpha).epsilon(1e-9));
    CHECK(sum(o.path) == Approx(o.time).epsilon(1e-12));
    CHECK(at(o.path, Part::compute) == Approx(5e-3));
  }
}

TEST_CASE("A barrier changes nothing among equals, and the ring shortcut keeps to it") {
  for (const OverlapKind overlap : {OverlapKind::none, OverlapKind::layerwise}) {
    Scenario s = overlapped(5, 1);
    training(s).overlap = {overlap, 1};
    Scenario together = s;
    training(together).exchange.barrier = true;
    CHECK(run(together, EngineKind::hybrid).time == Approx(run(s, EngineKind::hybrid).time).epsilon(1e-12));
    together.platform.jitter = Jitter{Jitter::Distribution::exponential, 0.3, 9};
    const ForkedRun shortcut = run(together, EngineKind::hybrid);
    together.engine.shortcuts = false;
    CHECK(shortcut.time == Approx(run(together, EngineKind::hybrid).time).epsilon(1e-12));
    CHECK(shortcut.time == Approx(run(together, EngineKind::simgrid).time).epsilon(1e-9));
  }
}

TEST_CASE("What a message carries beside its data takes link time, once a message") {
  Scenario s = star(4, 4'000, Algorithm::ring, 0);
  const ForkedRun bare = run(s);
  s.platform.message_bytes = Bytes(500);
  for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid}) {
    const ForkedRun o = run(s, engine);
    INFO(o.message);
    REQUIRE(!o.failed);
    CHECK(o.time == Approx(bare.time + 6 * 500 / 1.25e9).epsilon(1e-9)); // 2 (p - 1) steps
    CHECK(o.wire_bytes == Approx(bare.wire_bytes + 24 * 500));
    CHECK(o.payload_bytes == bare.payload_bytes);
    CHECK(o.link_bytes.front() == Approx(bare.link_bytes.front() + 6 * 500));
  }
  s.engine.shortcuts = false;
  CHECK(run(s).time == Approx(bare.time + 6 * 500 / 1.25e9).epsilon(1e-9));
}

TEST_CASE("Another seed gives other times: the same seed the same bits") {
  const Scenario s = jittery_ring(4, 3);
  Scenario other = s;
  other.platform.jitter->seed = 43;
  CHECK(run(s, EngineKind::hybrid).time == run(s, EngineKind::hybrid).time);
  CHECK(run(s, EngineKind::hybrid).time != run(other, EngineKind::hybrid).time);
}
