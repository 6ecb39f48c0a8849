// Compares both engines on random scenarios: contention, unequal sizes, stragglers, every exchange.
#include "models/schedules/parts/collective.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_scenario.hpp"
#include "tests/support/same_times.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("both engines give the same times over random scenarios") {
  REQUIRE(rc::check("hybrid = simgrid within 1e-9", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const Scenario s = random_scenario(seed);
    const ForkedRun hybrid = run(s, EngineKind::hybrid), reference = run(s, EngineKind::simgrid);
    RC_LOG() << "seed " << seed << " algorithm " << static_cast<int>(s.phases[0].training.exchange.algorithm) << "\n";
    assert_same_times(hybrid, reference);
    const bool backup = s.phases[0].training.exchange.backup_workers > 0; // ends while late gradients are in transit
    // Whole bytes sum without rounding. A ratio gives fractions, which are summed in another order.
    const double rounding = s.phases[0].training.compression.ratio == 1 ? 0 : 1e-13 * hybrid.wire_bytes;
    RC_ASSERT(backup || std::abs(hybrid.received_bytes - hybrid.wire_bytes) <= rounding);
    for (std::size_t l = 0; l < hybrid.link_bytes.size(); ++l)
      RC_ASSERT(backup || std::abs(hybrid.link_busy[l] - reference.link_busy[l]) <= 1e-9 * reference.time);
  }));
}

TEST_CASE("the executor's own loop and SimGrid's clock give the same bits over random scenarios") {
  REQUIRE(rc::check("own loop == SimGrid's clock", [] {
    Scenario s = random_scenario(*rc::gen::arbitrary<std::uint32_t>());
    s.engine.kind = EngineKind::hybrid;
    s.engine.shortcuts = *rc::gen::arbitrary<bool>();
    const ForkedRun clock = run_on_simgrid_clock(s);
    const RunResult loop = simulate(s, build_platform(s.platform, extra_nodes(s)));
    RC_ASSERT(!clock.failed);
    RC_ASSERT(clock.time == loop.time);
    RC_ASSERT(clock.iteration_time == loop.iteration_time);
    RC_ASSERT(clock.compute_time == loop.compute_time);
    RC_ASSERT(clock.communication_time == loop.communication_time);
    RC_ASSERT(clock.exposed == loop.exposed_communication_time);
    RC_ASSERT(clock.path == loop.path);
    RC_ASSERT(clock.iteration_path == loop.iteration_path);
    RC_ASSERT(clock.messages == loop.messages);
    RC_ASSERT(clock.dropped == loop.dropped_gradients);
    RC_ASSERT(clock.payload_bytes == loop.payload_bytes);
    RC_ASSERT(clock.wire_bytes == loop.wire_bytes);
    RC_ASSERT(clock.received_bytes == loop.received_bytes);
    RC_ASSERT(clock.ends.size() == loop.iterations.size());
    for (std::size_t i = 0; i < clock.ends.size(); ++i) RC_ASSERT(clock.ends[i] == loop.iterations[i].end);
    RC_ASSERT(clock.link_bytes.size() == loop.links.size());
    for (std::size_t l = 0; l < clock.link_bytes.size(); ++l) {
      RC_ASSERT(clock.link_bytes[l] == loop.links[l].bytes);
      RC_ASSERT(clock.link_busy[l] == loop.links[l].busy);
    }
  }));
}

TEST_CASE("both engines give the same times where ranks keep shards") {
  REQUIRE(rc::check("hybrid = simgrid within 1e-9", [] {
    auto seed = *rc::gen::arbitrary<std::uint32_t>();
    Scenario s = random_scenario(seed);
    while (!is_sharded(s.phases[0].training.exchange)) s = random_scenario(++seed);
    const ForkedRun hybrid = run(s, EngineKind::hybrid), reference = run(s, EngineKind::simgrid);
    RC_LOG() << "seed " << seed << "\n";
    assert_same_times(hybrid, reference);
    s.engine.shortcuts = !s.engine.shortcuts; // no shortcut is used
    RC_ASSERT(run(s, EngineKind::hybrid).time == hybrid.time);
  }));
}
