// Shortcuts give what message by message gives, and step aside where they cannot prove it.
#include "sim/engine/ring/ring_shortcut.hpp"
#include "sim/training_plans.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace gradflight;
using namespace gradflight::test;

namespace {

bool proved(const Scenario& s) {
  const Platform platform = build_platform(s.platform, extra_nodes(s));
  TrainingPlan plan(s, s.phases.back(), platform, {});
  const double slowing = 1 / s.platform.rate_while_computing.value_or(1);
  return RingShortcut::prove(plan, platform, LinkState(platform.links(), {}), slowing).has_value();
}

void require_same(Scenario s) {
  REQUIRE(proved(s));
  s.engine.shortcuts = true;
  const Outcome shortcut = run(s);
  s.engine.shortcuts = false;
  const Outcome plain = run(s);
  const auto near = [](double a, double b, double scale) { return std::abs(a - b) <= 1e-12 * scale; };
  REQUIRE(near(shortcut.time, plain.time, plain.time));
  REQUIRE(near(shortcut.iteration_time, plain.iteration_time, plain.time));
  REQUIRE(near(shortcut.communication_time, plain.communication_time, plain.time));
  REQUIRE(near(shortcut.exposed, plain.exposed, plain.time));
  REQUIRE(shortcut.messages == plain.messages);
  REQUIRE(near(shortcut.payload_bytes, plain.payload_bytes, plain.payload_bytes));
  REQUIRE(near(shortcut.wire_bytes, plain.wire_bytes, plain.wire_bytes));
  REQUIRE(shortcut.ends.size() == plain.ends.size());
  for (std::size_t i = 0; i < plain.ends.size(); ++i) REQUIRE(near(shortcut.ends[i], plain.ends[i], plain.time));
  REQUIRE(near(sum(shortcut.path), shortcut.time, plain.time));
  for (std::size_t l = 0; l < plain.link_bytes.size(); ++l) {
    REQUIRE(near(shortcut.link_bytes[l], plain.link_bytes[l], plain.wire_bytes));
    REQUIRE(near(shortcut.link_busy[l], plain.link_busy[l], 1e3 * plain.time)); // sums of differences of absolute times
  }
}

/// Sizes that no p divides, layers of unequal times.
Scenario layered(int p) {
  Scenario s = star(p, 1, Algorithm::ring);
  s.workload.layers.clear();
  for (int l = 0; l < 5; ++l)
    s.workload.layers.push_back({"l", 1e-4 * (l + 1), 2e-4 * (5 - l), {{"w", 100'003 * (l + 1)}, {"b", 17}}});
  s.workload.update = 1e-4;
  training(s).granularity.kind = Granularity::Kind::tensor;
  training(s).iterations = 3;
  return s;
}

} // namespace

TEST_CASE("the ring shortcut equals message by message") {
  for (const int p : {2, 3, 8, 13})
    for (const OverlapKind overlap : {OverlapKind::none, OverlapKind::layerwise, OverlapKind::pipelined}) {
      Scenario s = layered(p);
      training(s).overlap = {overlap, 2};
      SECTION("alike") {}
      SECTION("no gamma") { s.platform.reduce_bandwidth.reset(); }
      SECTION("a ratio") { training(s).compression.ratio = 3.7; }
      SECTION("tensors left out of the compression") {
        training(s).granularity = {.kind = Granularity::Kind::fusion, .bytes = 900'000};
        training(s).compression.ratio = 3.7;
        training(s).compression.except = {"b"};
        training(s).compression.except_below = Bytes(500'000);
        training(s).compression.tensor_overhead = Bytes(4);
      }
      SECTION("blocks of unequal bytes beside compute") {
        s.platform.rate_while_computing = 0.5;
        training(s).overlap.kind = OverlapKind::layerwise;
        training(s).granularity = {.kind = Granularity::Kind::fusion, .bytes = 900'000};
        training(s).compression.ratio = 3.7;
        training(s).compression.except = {"b"};
      }
      SECTION("stragglers and a slow link") {
        s.platform.node_overrides.resize(2);
        s.platform.node_overrides[0].nodes = {0};
        s.platform.node_overrides[0].compute_speed = 0.3;
        s.platform.node_overrides[0].reduce_bandwidth = ByteRate(1e9);
        s.platform.node_overrides[1].nodes = {1};
        s.platform.node_overrides[1].bandwidth = ByteRate(3e8);
      }
      SECTION("GPUs behind PCIe") {
        s.platform.gpus_per_node = 3;
        s.platform.intra_node = {IntraKind::pcie, {ByteRate(5e9), Seconds(2e-6), {}, {}}, 0, {}};
      }
      SECTION("host costs around the exchange") {
        training(s).costs.push_back(
            {"copy", CostHook::before_exchange, CostResource::gpu, SecondsPerByte(1e-10), {}, {}, {}, {}});
        training(s).costs.push_back(
            {"back", CostHook::after_exchange, CostResource::pcie, SecondsPerByte(1e-10), {}, {}, {}, {}});
      }
      require_same(s);
    }
}

TEST_CASE("the ring shortcut refuses what it cannot prove") {
  Scenario s = layered(6);
  REQUIRE(proved(s));
  SECTION("another algorithm") { training(s).exchange.algorithm = Algorithm::recursive_doubling; }
  SECTION("pieces") { training(s).exchange.pieces = 2; }
  SECTION("several streams") { training(s).streams = 2; }
  SECTION("work per message") {
    training(s).costs.push_back({"c", CostHook::message_send, CostResource::cpu, {}, {}, {}, Seconds(1e-6), {}});
  }
  SECTION("edges that share a NIC") {
    s.platform.gpus_per_node = 2;
    s.placement = Placement::cyclic;
  }
  SECTION("free transfers between GPUs of a node") { s.platform.gpus_per_node = 2; }
  SECTION("one rank") { s.platform.nodes = 1; }
  REQUIRE(!proved(s));
  s.engine.shortcuts = true;
  const Outcome with = run(s);
  s.engine.shortcuts = false;
  REQUIRE(with.time == run(s).time);
}
