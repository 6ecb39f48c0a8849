// Shortcuts give the results of single messages, and are not used if this cannot be proved.
#include "sim/engine/ring/ring_shortcut.hpp"
#include "sim/training_plans.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/forked.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

using namespace gradflight;
using namespace gradflight::test;

namespace {

bool proved(const Scenario& s) {
  const Platform platform = build_platform(s.platform, extra_nodes(s));
  TrainingPlan plan(s, s.phases.back(), platform, {});
  const double slowing = 1 / s.platform.rate_while_computing.value_or(1);
  return RingShortcut::prove(plan, platform, LinkState(platform.links(), {}), slowing).has_value();
}

/// Compares with a run that computes only times.
void require_same_times(const Scenario& s, const ForkedRun& plain) {
  const auto times = simulate(s, build_platform(s.platform, extra_nodes(s)), {.only_times = true});
  const auto near = [](double a, double b, double scale) { return std::abs(a - b) <= 1e-12 * scale; };
  REQUIRE(near(times.time, plain.time, plain.time));
  REQUIRE(near(times.iteration_time, plain.iteration_time, plain.time));
  REQUIRE(near(times.compute_time, plain.compute_time, plain.time));
  REQUIRE(times.messages == plain.messages);
  REQUIRE(near(times.payload_bytes, plain.payload_bytes, plain.payload_bytes));
  REQUIRE(near(times.wire_bytes, plain.wire_bytes, 10 * plain.wire_bytes));
  for (std::size_t i = 0; i < plain.ends.size(); ++i) REQUIRE(near(times.iterations[i].end, plain.ends[i], plain.time));
}

void require_same(Scenario s) {
  s.engine.shortcuts = true;
  const ForkedRun shortcut = run(s);
  require_same_times(s, shortcut);
  s.engine.shortcuts = false;
  const ForkedRun plain = run(s);
  const auto near = [](double a, double b, double scale) { return std::abs(a - b) <= 1e-12 * scale; };
  REQUIRE(near(shortcut.time, plain.time, plain.time));
  REQUIRE(near(shortcut.iteration_time, plain.iteration_time, plain.time));
  REQUIRE(near(shortcut.communication_time, plain.communication_time, plain.time));
  REQUIRE(near(shortcut.exposed, plain.exposed, plain.time));
  REQUIRE(shortcut.messages == plain.messages);
  REQUIRE(near(shortcut.payload_bytes, plain.payload_bytes, plain.payload_bytes));
  REQUIRE(near(shortcut.wire_bytes, plain.wire_bytes, 10 * plain.wire_bytes)); // summed message by message
  REQUIRE(shortcut.ends.size() == plain.ends.size());
  for (std::size_t i = 0; i < plain.ends.size(); ++i) REQUIRE(near(shortcut.ends[i], plain.ends[i], plain.time));
  REQUIRE(near(sum(shortcut.path), shortcut.time, plain.time));
  for (std::size_t l = 0; l < plain.link_bytes.size(); ++l) {
    REQUIRE(near(shortcut.link_bytes[l], plain.link_bytes[l], plain.wire_bytes));
    REQUIRE(near(shortcut.link_busy[l], plain.link_busy[l], 1e3 * plain.time)); // sums of differences of absolute times
  }
}

/// Returns sizes that no p divides, and layers of unequal times.
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
  const int p = GENERATE(2, 3, 8, 13); // a loop would run each section only for its first value
  const auto overlap = GENERATE(OverlapKind::none, OverlapKind::layerwise, OverlapKind::pipelined);
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
  REQUIRE(proved(s));
  require_same(s);
}

TEST_CASE("the closed form of a uniform ring equals message by message") {
  constexpr int p = 65;
  const auto overlap = GENERATE(OverlapKind::none, OverlapKind::layerwise, OverlapKind::pipelined);
  Scenario s = layered(p);
  training(s).overlap = {overlap, 2};
  SECTION("alike") {}
  SECTION("blocks alike") {
    for (Layer& layer : s.workload.layers)
      for (Tensor& tensor : layer.tensors) tensor.elements = p * 100;
  }
  SECTION("few large blocks") {
    for (Layer& layer : s.workload.layers)
      for (Tensor& tensor : layer.tensors) tensor.elements = p * 100 + 1;
  }
  SECTION("few small blocks") {
    for (Layer& layer : s.workload.layers)
      for (Tensor& tensor : layer.tensors) tensor.elements = p * 100 - 1;
  }
  SECTION("no gamma") { s.platform.reduce_bandwidth.reset(); }
  SECTION("slow reductions") { s.platform.reduce_bandwidth = ByteRate(1e7); }
  SECTION("small blocks, no latency") {
    s.platform.network.link.latency = Seconds(0);
    for (Layer& layer : s.workload.layers)
      for (Tensor& tensor : layer.tensors) tensor.elements = p + p / 2;
  }
  SECTION("a ratio") { training(s).compression.ratio = 3.7; }
  SECTION("beside compute") {
    s.platform.rate_while_computing = 0.5;
    if (overlap == OverlapKind::pipelined) return;
  }
  SECTION("a straggler") {
    s.platform.node_overrides.resize(1);
    s.platform.node_overrides[0].nodes = {3};
    s.platform.node_overrides[0].compute_speed = 0.3;
  }
  SECTION("jitter") { s.platform.jitter = Jitter{.cv = 0.1}; }
  REQUIRE(proved(s));
  require_same(s);
}

TEST_CASE("rings beside compute, all of them or in part, take the same times where only these are asked for") {
  for (const double pass : {0.05, 0.004, 0.0005}) {
    Scenario s = layered(65);
    training(s).overlap.kind = OverlapKind::layerwise;
    s.platform.rate_while_computing = 0.5;
    for (Layer& layer : s.workload.layers) layer.backward = pass;
    INFO(pass << " s a layer");
    REQUIRE(proved(s));
    require_same(s);
  }
}

TEST_CASE("a ring of ranks alike costs what they do, not their squares") {
  const std::vector<std::int64_t> sizes =
      is_sanitized ? std::vector<std::int64_t>{25'000'000, 25'999'999}
                   : std::vector<std::int64_t>{25'000'000, 25'000'001, 25'600'000, 25'999'999, 30'000'000};
  for (const std::int64_t n : sizes)
    for (const double reduce_bandwidth : {0.0, 20e9}) {
      Scenario s = star(50'000, n, Algorithm::ring);
      if (reduce_bandwidth > 0)
        s.platform.reduce_bandwidth = ByteRate(reduce_bandwidth);
      else
        s.platform.reduce_bandwidth.reset();
      training(s).iterations = 3;
      const Platform platform = build_platform(s.platform, 0);
      int told = 0; // step by step, it reports progress at every second of the 100,000 steps
      const RunResult result = simulate(s, platform, {nullptr, [&](double, std::int64_t) { ++told; }});
      INFO(n << " elements");
      CHECK(told == training(s).iterations);
      CHECK(result.messages == 3LL * 2 * 49'999 * 50'000);
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
  const ForkedRun with = run(s);
  s.engine.shortcuts = false;
  REQUIRE(with.time == run(s).time);
}

namespace {

/// Returns any groups below a ring of masters, with or without racks, and with differences between ranks.
Scenario random_hierarchy(std::mt19937& dice) {
  const auto in = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(dice); };
  const auto one_of = [&](auto... choices) {
    return std::array{choices...}[static_cast<std::size_t>(in(0, sizeof...(choices) - 1))];
  };
  Scenario s = layered(in(3, 40));
  ExchangeSpec& x = training(s).exchange;
  x.algorithm = Algorithm::hierarchical;
  x.top = Algorithm::ring;
  for (int levels = in(1, 2); levels > 0; --levels)
    x.levels.push_back({in(1, 8),
                        one_of(GroupReduce::ring, GroupReduce::flat, GroupReduce::binomial, GroupReduce::allreduce),
                        one_of(GroupBroadcast::flat, GroupBroadcast::binomial, GroupBroadcast::ring), in(0, 5) == 0});
  training(s).overlap = {one_of(OverlapKind::none, OverlapKind::layerwise, OverlapKind::pipelined), 2};
  training(s).exchange.barrier = in(0, 3) == 0;
  training(s).granularity.kind = one_of(Granularity::Kind::tensor, Granularity::Kind::model);
  if (in(0, 1) == 0) s.platform.reduce_bandwidth.reset();
  if (in(0, 3) == 0) training(s).compression.ratio = 3.7;
  if (in(0, 3) == 0 && training(s).overlap.kind != OverlapKind::pipelined) s.platform.rate_while_computing = 0.5;
  if (in(0, 1) == 0) {
    s.platform.network.topology = Topology::racks;
    s.platform.network.racks = {in(1, 12), 1.0 + in(0, 3), {}};
  }
  if (in(0, 2) == 0) {
    s.platform.gpus_per_node = in(2, 4);
    s.platform.intra_node = {IntraKind::pcie, {ByteRate(5e9), Seconds(2e-6), {}, {}}, 0, {}};
  }
  if (in(0, 1) == 0) {
    NodeOverride straggler;
    straggler.nodes = {in(0, s.platform.nodes - 1)};
    straggler.compute_speed = 0.3;
    straggler.bandwidth = ByteRate(3e8);
    s.platform.node_overrides.push_back(straggler);
  }
  return s;
}

} // namespace

TEST_CASE("the ring of masters at once equals message by message") {
  int at_once = 0;
  for (unsigned seed = 0; seed < (test::is_sanitized ? 40 : 400); ++seed) {
    std::mt19937 dice(seed);
    const Scenario s = random_hierarchy(dice);
    if (!proved(s)) continue;
    ++at_once;
    INFO("seed " << seed);
    require_same(s);
  }
  CHECK(at_once > (test::is_sanitized ? 10 : 100));
}

TEST_CASE("a ring of masters whose links others may use meanwhile goes message by message") {
  Scenario s = layered(24);
  training(s).exchange.algorithm = Algorithm::hierarchical;
  training(s).exchange.top = Algorithm::ring;
  training(s).exchange.levels = {{4, GroupReduce::ring, GroupBroadcast::binomial, false}};
  s.platform.network.topology = Topology::racks;
  s.platform.network.racks = {4, 2, {}};
  CHECK(proved(s));
  s.platform.network.racks.nodes_per_rack = 8; // two masters per rack, with one hop out of each rack
  CHECK(proved(s));
  s.platform.network.racks.nodes_per_rack =
      6; // a group has members in two racks: they share uplinks with other masters
  CHECK(!proved(s));
  s.platform.network.racks.nodes_per_rack = 4;
  training(s).exchange.top = Algorithm::recursive_doubling;
  CHECK(!proved(s));
}
