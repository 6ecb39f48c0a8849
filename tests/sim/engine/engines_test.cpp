// Both engines against each other over random scenarios: contention, unequal sizes, stragglers, every exchange.
#include "sim/schedules/parts/collective.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <rapidcheck.h>
#include <sstream>

using namespace gradflight;
using namespace gradflight::test;

namespace {

class Dice {
public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  int in(int low, int high) { return low + static_cast<int>(engine_() % static_cast<std::uint32_t>(high - low + 1)); }
  template <class T> T one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(in(0, static_cast<int>(choices.size()) - 1))];
  }
  bool chance(int percent) { return in(1, 100) <= percent; }
  double real(double low, double high) { return low + (high - low) * in(0, 1'000'000) / 1e6; }

private:
  std::mt19937 engine_;
};

ExchangeSpec random_exchange(Dice& dice, int workers) {
  ExchangeSpec x;
  x.algorithm = dice.one_of(algorithms());
  const ExchangeKeys& keys = collective(x.algorithm).keys;
  if (keys.pieces && dice.chance(30)) x.pieces = dice.in(2, 4);
  if (keys.servers) {
    x.servers = dice.in(1, std::min(workers, 3));
    x.colocated = dice.chance(40);
    const int kind = dice.in(0, 4);
    if (kind == 0) x.pull = Pull::binomial;
    if (kind == 1) x.pull_at = PullAt::first_use;
    if (kind == 2) x.consistency = Consistency::asynchronous;
    if (kind == 3) {
      x.consistency = Consistency::bounded_staleness;
      x.staleness_bound = dice.in(0, 2);
    }
    if (kind == 4 && workers > 1) x.backup_workers = dice.in(0, workers - 1);
  }
  if (keys.levels) {
    const int levels = dice.in(1, 2);
    for (int l = 0; l < levels; ++l)
      x.levels.push_back({dice.in(1, 4), static_cast<GroupReduce>(dice.in(0, 3)),
                          static_cast<GroupBroadcast>(dice.in(0, 2)), dice.chance(30)});
    std::vector<Algorithm> tops = algorithms();
    std::erase_if(tops, [](Algorithm a) { return collective(a).among_masters == nullptr; });
    x.top = dice.one_of(tops);
  }
  x.density = 0.01;
  if (dice.chance(50)) x.merge_bandwidth = ByteRate(3e9);
  if (dice.chance(50)) x.all_gather = AllGather::ring;
  return x;
}

/// A server that reacts to each push decides by who comes first: there no two workers may be alike, and each computes
/// between an answer and the next push, since a tie is decided by rounding, differently in two engines.
void tell_workers_apart(Scenario& s, Dice& dice) {
  s.platform.gpus_per_node = 1;
  s.platform.node_overrides.clear();
  for (int node = 0; node < s.platform.nodes; ++node) {
    NodeOverride o;
    o.nodes = {node};
    o.compute_speed = dice.real(0.4, 1.5);
    o.bandwidth = ByteRate(dice.real(5e7, 2e9));
    s.platform.node_overrides.push_back(o);
  }
  for (Layer& layer : s.workload.layers) layer.forward += 1e-4;
}

Scenario random_scenario(std::uint32_t seed) {
  Dice dice(seed);
  Scenario s;
  s.platform.nodes = dice.in(1, 6);
  s.platform.gpus_per_node = dice.in(1, 3);
  s.platform.message_overhead = Seconds(dice.chance(50) ? dice.real(0, 1e-4) : 0);
  s.platform.network.link = {
      ByteRate(dice.real(1e8, 2e9)), Seconds(dice.chance(70) ? dice.real(1e-6, 1e-4) : 0), {}, {}};
  if (dice.chance(70)) s.platform.reduce_bandwidth = ByteRate(dice.real(5e8, 1e10));
  if (dice.chance(40)) {
    s.platform.network.topology = Topology::racks;
    s.platform.network.racks = {dice.in(1, 3), dice.real(1, 4), {}};
  }
  if (dice.chance(40))
    s.platform.intra_node = {IntraKind::pcie, {ByteRate(dice.real(1e9, 1e10)), Seconds(1e-6), {}, {}}, 0, {}};
  for (int node = 0; node < s.platform.nodes; ++node) {
    if (!dice.chance(40)) continue;
    NodeOverride o;
    o.nodes = {node};
    if (dice.chance(50)) o.compute_speed = dice.real(0.4, 1.5);
    if (dice.chance(50)) o.bandwidth = ByteRate(dice.real(5e7, 2e9));
    s.platform.node_overrides.push_back(o);
  }
  const int layers = dice.in(1, 4);
  for (int l = 0; l < layers; ++l) {
    Layer layer{"l" + std::to_string(l), dice.real(0, 1e-3), dice.real(0, 2e-3), {}};
    for (int t = dice.in(l == 0 ? 1 : 0, 2); t > 0; --t) layer.tensors.push_back({"t", dice.in(1, 300'000)});
    s.workload.layers.push_back(layer);
  }
  s.workload.update = dice.chance(50) ? dice.real(0, 1e-3) : 0;
  Phase phase{"main", {}};
  TrainingSpec& t = phase.training;
  t.granularity.kind = static_cast<Granularity::Kind>(dice.in(0, 3));
  t.granularity.bytes = dice.real(1e5, 1e6);
  t.overlap.kind = static_cast<OverlapKind>(dice.in(0, 2));
  t.exchange = random_exchange(dice, s.workers());
  if (t.exchange.consistency != Consistency::synchronous || t.exchange.backup_workers > 0) {
    tell_workers_apart(s, dice);
    t.granularity.kind = Granularity::Kind::model;
    t.overlap.kind = OverlapKind::none;
    t.exchange.servers = std::min(t.exchange.servers, s.workers());
    t.exchange.backup_workers = std::min(t.exchange.backup_workers, s.workers() - 1);
  }
  if (t.exchange.pull_at == PullAt::first_use) t.overlap.kind = OverlapKind::layerwise;
  t.overlap.k = dice.in(1, 3);
  t.streams = dice.in(1, 3);
  t.iterations = dice.in(1, 4);
  t.accumulation = dice.in(1, 2);
  if (dice.chance(30))
    t.costs.push_back({"copy",
                       static_cast<CostHook>(dice.in(0, 5)),
                       static_cast<CostResource>(dice.in(0, 2)),
                       SecondsPerByte(1e-10),
                       {},
                       Seconds(1e-6),
                       Seconds(2e-6),
                       Seconds(3e-6)});
  const bool server = has_servers(t.exchange), lists = sends_lists(t.exchange);
  if (!server && !lists && dice.chance(25)) {
    t.selection = ChunkSelection{dice.real(0.05, 1), dice.in(100, 20'000), {}};
    t.granularity.kind = dice.chance(50) ? Granularity::Kind::model : Granularity::Kind::fusion;
    if (t.overlap.kind == OverlapKind::pipelined) t.overlap.kind = OverlapKind::layerwise;
    t.streams = 1;
  } else if (!lists && dice.chance(30)) {
    t.compression.ratio = 1 << dice.in(0, 5); // fractions of bytes that add up without rounding
    t.compression.except_below = Bytes(dice.in(4, 600'000));
    t.compression.tensor_overhead = Bytes(dice.in(1, 64));
  } else if (!lists && dice.chance(35)) {
    CompressionSpec& c = t.compression;
    c.ratio = dice.real(1, 8);
    c.placement = dice.chance(50) ? CodecPlacement::gpu : CodecPlacement::cpu;
    if (dice.chance(80)) c.encode_bandwidth = ByteRate(dice.real(1e9, 2e10));
    if (dice.chance(80)) c.decode_bandwidth = ByteRate(dice.real(1e9, 2e10));
  }
  s.phases.push_back(phase);
  return s;
}

} // namespace

TEST_CASE("both engines give the same times over random scenarios") {
  REQUIRE(rc::check("hybrid = simgrid within 1e-9", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const Scenario s = random_scenario(seed);
    const Outcome hybrid = run(s, EngineKind::hybrid), reference = run(s, EngineKind::simgrid);
    RC_LOG() << "seed " << seed << " algorithm " << static_cast<int>(s.phases[0].training.exchange.algorithm)
             << " hybrid " << hybrid.time << " " << hybrid.message << " reference " << reference.time << " "
             << reference.message << "\n";
    RC_ASSERT(!hybrid.failed);
    RC_ASSERT(!reference.failed);
    RC_ASSERT(std::abs(hybrid.time - reference.time) <= 1e-9 * reference.time);
    RC_ASSERT(hybrid.messages == reference.messages);
    RC_ASSERT(hybrid.ends.size() == reference.ends.size());
    for (std::size_t i = 0; i < hybrid.ends.size(); ++i)
      RC_ASSERT(std::abs(hybrid.ends[i] - reference.ends[i]) <= 1e-9 * reference.ends[i]);
    RC_ASSERT(std::abs(sum(hybrid.path) - hybrid.time) <= 1e-9 * hybrid.time);
    const bool backup = s.phases[0].training.exchange.backup_workers > 0; // ends with late gradients under way
    // Whole bytes sum without rounding; a ratio makes fractions, added up in another order.
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
    const Outcome clock = run_on_simgrid_clock(s);
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
