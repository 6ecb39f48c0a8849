// The same for the execution of runs and their division: shortcuts, pipelines, iterations, phases, slower parts.
#include "tests/sim/engine/metamorphic.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;
using namespace gradflight::test::metamorphic;

TEST_CASE("shortcuts on and off, over 100 random scenarios") {
  REQUIRE(rc::check("1e-12", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    Scenario s = drawn();
    s.platform.gpus_per_node = 1; // otherwise shared NICs prevent most shortcuts
    ExchangeSpec& x = training_of(s).exchange;
    x = {};
    x.pieces = dice.in(1, 3);
    s.engine.shortcuts = false;
    const RunResult off = result_of(s);
    s.engine.shortcuts = true;
    require_like(result_of(s), off);
  }));
}

TEST_CASE("pipelined over one iteration is layer-wise, over 100 random scenarios") {
  REQUIRE(rc::check("1e-12", [] {
    Scenario s = drawn();
    TrainingSpec& t = training_of(s);
    t.selection.reset(); // it is not pipelined
    if (t.exchange.pull_at == PullAt::first_use) t.exchange.pull_at = PullAt::once;
    t.overlap = {OverlapKind::layerwise, 1};
    const RunResult layerwise = result_of(s);
    t.overlap.kind = OverlapKind::pipelined;
    require_like(layerwise, result_of(s));
  }));
}

TEST_CASE(
    "nothing slower makes a synchronous stream faster where no two messages share a link, over 100 random scenarios") {
  REQUIRE(rc::check("slower", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    const int p = dice.in(1, 9);
    Scenario s = symmetric_star(dice, p, dice.one_of(without_contention));
    const double before = result_of(s).time;
    NodeOverride slower;
    slower.nodes = {dice.in(0, p - 1)};
    double speed = 1, bandwidth = s.platform.network.link.bandwidth.value();
    for (const NodeOverride& o : s.platform.node_overrides) {
      if (o.nodes != slower.nodes) continue;
      speed = o.compute_speed.value_or(speed);
      if (o.bandwidth) bandwidth = o.bandwidth->value();
    }
    if (dice.chance(50)) slower.compute_speed = speed * dice.real(0.2, 1);
    if (dice.chance(50)) slower.bandwidth = ByteRate(bandwidth * dice.real(0.2, 1));
    if (dice.chance(50)) slower.latency = Seconds(s.platform.network.link.latency->value() * dice.real(1, 3));
    s.platform.node_overrides.push_back(slower);
    RC_ASSERT(result_of(s).time >= before * (1 - rounding));
  }));
}

TEST_CASE("the first iterations do not hang on how many follow, over 100 random scenarios, to the bit") {
  REQUIRE(rc::check("exact", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    Scenario s = symmetric_star(dice, dice.in(1, 8), dice.one_of(without_contention));
    TrainingSpec& t = training_of(s);
    if (dice.chance(30)) t.overlap = {OverlapKind::pipelined, dice.in(1, 3)};
    t.iterations = dice.in(1, 6);
    const RunResult some = result_of(s);
    ++t.iterations;
    const RunResult more = result_of(s);
    // A pipeline's last k updates occur while it drains.
    const auto draining = static_cast<std::size_t>(t.overlap.kind == OverlapKind::pipelined ? t.overlap.k : 0);
    for (std::size_t i = 0; i + draining < some.iterations.size(); ++i) {
      RC_ASSERT(some.iterations[i].end == more.iterations[i].end);
      RC_ASSERT(some.iterations[i].path == more.iterations[i].path);
    }
  }));
}

TEST_CASE("a phase cut in two takes as long among equals, and never less, over 100 random scenarios") {
  REQUIRE(rc::check("1e-12", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    Scenario s = symmetric_star(dice, dice.in(1, 8), dice.one_of(without_contention));
    training_of(s).overlap.kind = OverlapKind::none;
    const bool alike = dice.chance(50);
    if (alike) s.platform.node_overrides.clear();
    // In a binomial tree, and for numbers other than powers of two, some ranks end before others and run ahead.
    if (alike) training_of(s).exchange.algorithm = Algorithm::ring;
    const int first = dice.in(1, 3), second = dice.in(1, 3);
    training_of(s).iterations = first + second;
    const double whole = result_of(s).time;
    s.phases.insert(s.phases.begin(), s.phases.back());
    s.phases[0].name = "first";
    s.phases[0].training.iterations = first;
    s.phases[1].training.iterations = second;
    const double cut = result_of(s).time;
    RC_ASSERT((alike ? near(cut, whole) : cut >= whole * (1 - rounding)));
  }));
}
