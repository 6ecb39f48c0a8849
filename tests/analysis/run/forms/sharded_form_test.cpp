// Compares the form of sharded data parallelism with the simulation: 1e-9 whenever the form says that it holds.
#include "analysis/run/forms/closed_form.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_scenario.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

ClosedForm sharded_form_of(const Scenario& s) {
  const ClosedFormAnswer answer = closed_form(s, build_platform(s.platform, extra_nodes(s)));
  INFO(answer.why_none);
  REQUIRE(answer.form);
  return *answer.form;
}

bool sharded_form_fails(const Scenario& s, AssumptionId id) {
  const auto broken = sharded_form_of(s).failed();
  return std::ranges::any_of(broken, [id](const Assumption& a) { return a.id == id; });
}

/// All settings of a sharded exchange, on a star of equal nodes, with vectors that every block count divides.
Scenario drawn_shards(Dice& dice) {
  const int groups = dice.one_of(std::vector<int>{1, 1, 2, 3, 4}), members = dice.in(1, 6), p = groups * members;
  Scenario s = star(p, 1, Algorithm::sharded, dice.chance(70) ? 10e9 : 0);
  s.workload.layers.clear();
  for (int l = dice.in(1, 5); l > 0; --l) {
    Layer layer{"l", dice.real(0, 1e-3), dice.real(0, 2e-3), {}};
    for (int t = dice.in(l == 1 ? 1 : 0, 2); t > 0; --t) layer.tensors.push_back({"t", 60LL * 24 * dice.in(1, 300)});
    s.workload.layers.push_back(layer);
  }
  s.workload.update = dice.real(0, 1e-3);
  if (dice.chance(30)) s.platform.message_bytes = Bytes(500);
  TrainingSpec& t = training(s);
  ExchangeSpec& x = t.exchange;
  x.sharded.stage = dice.in(1, 3);
  x.sharded.prefetch = dice.in(0, 3);
  x.sharded.reshard_after_forward = dice.chance(60);
  x.sharded.no_sync = dice.chance(30);
  if (dice.chance(50)) x.sharded.reduce_scatter = ReduceScatter::recursive_halving;
  if (dice.chance(50)) x.all_gather = AllGather::ring;
  if (x.sharded.stage < 3 && dice.chance(50)) x.pull_at = PullAt::first_use;
  if (groups > 1) x.sharded.group_size = members;
  x.top = dice.one_of(std::vector<Algorithm>{Algorithm::ring, Algorithm::recursive_doubling});
  t.granularity.kind = dice.one_of(std::vector<Granularity::Kind>{Granularity::Kind::model, Granularity::Kind::tensor,
                                                                  Granularity::Kind::layer, Granularity::Kind::fusion});
  t.granularity.bytes = 600'000;
  t.overlap.kind = dice.chance(50) ? OverlapKind::none : OverlapKind::layerwise;
  t.accumulation = dice.in(1, 3);
  t.iterations = dice.in(1, 4);
  if (dice.chance(30)) t.compression.ratio = 2;
  if (dice.chance(30)) t.compression.pull = false;
  if (dice.chance(30))
    for (const CostHook hook : {CostHook::iteration, CostHook::before_exchange, CostHook::after_exchange})
      t.costs.push_back({"c",
                         hook,
                         hook == CostHook::iteration ? CostResource::cpu : CostResource::pcie,
                         SecondsPerByte(1e-10),
                         Seconds(1e-9),
                         Seconds(1e-5),
                         {},
                         Seconds(2e-5)});
  return s;
}

} // namespace

TEST_CASE("a sharded exchange's form is exact wherever its assumptions hold") {
  int held = 0;
  REQUIRE(rc::check("form = simulation within 1e-9", [&held] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    const Scenario s = drawn_shards(dice);
    const ClosedForm form = sharded_form_of(s);
    RC_LOG() << form.name << " " << form.cause() << "\n" << canonical_json(s) << "\n";
    const FormTerms& terms = form.terms;
    RC_ASSERT(std::abs(terms.alpha + terms.beta + terms.gamma + terms.compute + terms.other - terms.time) <=
              1e-9 * terms.time);
    if (!form.all_hold()) return;
    ++held;
    const Outcome o = run(s);
    RC_LOG() << "simulated " << o.time << " form " << terms.time << "\n";
    RC_ASSERT(std::abs(o.time - terms.time) <= 1e-9 * terms.time);
  }));
  CHECK(held > (test::is_sanitized ? 7 : 70)); // of 100: all except some with three groups
}

TEST_CASE("what breaks a sharded exchange's form is named") {
  Scenario s = star(4, 4000, Algorithm::sharded);
  s.workload.layers[0].forward = s.workload.layers[0].backward = 1e-3;
  REQUIRE(sharded_form_of(s).all_hold());
  CHECK(sharded_form_of(s).name == "zero3");
  SECTION("a slow link") {
    NodeOverride slow;
    slow.nodes = {2};
    slow.bandwidth = ByteRate(1e8);
    s.platform.node_overrides = {slow};
    CHECK(sharded_form_fails(s, AssumptionId::links_even));
  }
  SECTION("a straggler") {
    NodeOverride slow;
    slow.nodes = {2};
    slow.compute_speed = 0.5;
    s.platform.node_overrides = {slow};
    CHECK(sharded_form_fails(s, AssumptionId::compute_alike));
  }
  SECTION("blocks of different sizes") {
    s.workload.layers[0].tensors[0].elements = 4001;
    CHECK(sharded_form_fails(s, AssumptionId::divisible));
  }
  SECTION("several streams") {
    training(s).streams = 2;
    training(s).granularity = {.kind = Granularity::Kind::segments, .segments = 4};
    CHECK(sharded_form_fails(s, AssumptionId::one_stream));
  }
  SECTION("costs of messages") {
    training(s).costs.push_back({"send", CostHook::message_send, CostResource::cpu, {}, {}, {}, Seconds(1e-6), {}});
    CHECK(sharded_form_fails(s, AssumptionId::no_message_costs));
  }
  SECTION("a codec's time") {
    training(s).compression.placement = CodecPlacement::cpu;
    CHECK(sharded_form_fails(s, AssumptionId::no_codec_time));
  }
  SECTION("messages beside compute are slower") {
    s.platform.rate_while_computing = 0.5;
    CHECK(sharded_form_fails(s, AssumptionId::rate_beside_compute));
    training(s).exchange.sharded.prefetch = 0;
    CHECK(sharded_form_of(s).all_hold());
    CHECK(run(s).time == Approx(sharded_form_of(s).terms.time).epsilon(1e-9));
  }
  SECTION("three groups that fold") {
    s.platform.nodes = 6;
    s.workload.layers[0].tensors[0].elements = 6000;
    training(s).exchange.sharded.group_size = 2;
    training(s).exchange.top = Algorithm::recursive_doubling;
    CHECK(sharded_form_fails(s, AssumptionId::power_of_two));
  }
  SECTION("a master across groups") {
    training(s).exchange.sharded.group_size = 2;
    training(s).exchange.top = Algorithm::parameter_server;
    const ClosedFormAnswer answer = closed_form(s, build_platform(s.platform, 0));
    CHECK_FALSE(answer.form);
    CHECK(answer.why_none == "no closed form: shards are summed across groups by parameter_server");
  }
}
