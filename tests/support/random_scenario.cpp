#include "tests/support/random_scenario.hpp"

#include "models/schedules/parts/collective.hpp"

#include <algorithm>
#include <string>

namespace gradflight::test {
namespace {

/// Returns the algorithms for random exchanges, or for exchanges among masters. Shards and blocking rings are added
/// separately (keep_shards, keep_blocking_rings), so that other scenarios of existing seeds do not change.
std::vector<Algorithm> drawn(bool whole) {
  std::vector<Algorithm> all = algorithms();
  std::erase_if(all, [whole](Algorithm a) {
    return a == Algorithm::blocking_ring ||
           (whole ? collective(a).keys.sharded : collective(a).among_masters == nullptr);
  });
  return all;
}

} // namespace

ExchangeSpec random_exchange(Dice& dice, int workers) {
  ExchangeSpec x;
  x.algorithm = dice.one_of(drawn(true));
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
    x.top = dice.one_of(drawn(false));
  }
  x.density = 0.01;
  if (dice.chance(50)) x.merge_bandwidth = ByteRate(3e9);
  if (dice.chance(50)) x.all_gather = AllGather::ring;
  return x;
}

namespace {

/// A reactive server decides by the order of its pushes. So no two workers may be equal, and each computes between an
/// answer and the next push. Rounding would decide a tie, and differently in the two engines.
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

ExchangeSpec random_shards(Dice& dice, int workers) {
  ExchangeSpec x;
  x.algorithm = Algorithm::sharded;
  ShardedSpec& sharded = x.sharded;
  sharded.stage = dice.in(1, 3);
  if (dice.chance(40)) sharded.reduce_scatter = ReduceScatter::recursive_halving;
  if (dice.chance(50)) x.all_gather = AllGather::ring;
  sharded.prefetch = dice.in(0, 3);
  sharded.reshard_after_forward = dice.chance(70);
  sharded.no_sync = dice.chance(30);
  if (sharded.stage < 3 && dice.chance(40)) x.pull_at = PullAt::first_use;
  std::vector<int> sizes{0};
  for (int size = 1; size <= workers; ++size)
    if (workers % size == 0) sizes.push_back(size);
  if (dice.chance(40)) sharded.group_size = dice.one_of(sizes);
  x.top = dice.one_of(drawn(false));
  return x;
}

/// One in eight seeds has a sharded exchange instead of the one drawn before.
void keep_shards(Scenario& s, std::uint32_t seed) {
  if (seed % 8 != 2) return;
  Dice dice(seed + 2);
  TrainingSpec& t = s.phases[0].training;
  t.exchange = random_shards(dice, s.workers());
  t.selection.reset();
  if (t.overlap.kind == OverlapKind::pipelined) t.overlap = {OverlapKind::layerwise, 1};
  if (dice.chance(40)) t.granularity.kind = Granularity::Kind::layer;
}

/// One in four seeds with a ring, as the exchange or among its masters, has a blocking ring instead.
void keep_blocking_rings(Scenario& s, std::uint32_t seed) {
  ExchangeSpec& x = s.phases[0].training.exchange;
  if (seed % 4 != 3) return;
  if (x.algorithm == Algorithm::ring && x.pieces == 1) x.algorithm = Algorithm::blocking_ring;
  if (x.top == Algorithm::ring) x.top = Algorithm::blocking_ring;
}

} // namespace

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
    t.compression.ratio = 1 << dice.in(0, 5); // fractions of bytes that sum without rounding errors
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
  keep_shards(s, seed);
  keep_blocking_rings(s, seed);
  return s;
}

Scenario alike_scenario(std::uint32_t seed) {
  Scenario s = random_scenario(seed);
  Dice dice(seed + 1);
  TrainingSpec& t = s.phases[0].training;
  if (dice.chance(50)) {
    s.platform.nodes = dice.in(2, 12);
    s.platform.node_overrides.clear();
  }
  const Layer layer{"l", dice.real(0, 1e-3), dice.real(0, 2e-3), {{"t", dice.in(1, 300'000)}}};
  s.workload.layers.assign(static_cast<std::size_t>(dice.in(2, 12)), layer);
  t.granularity.kind = Granularity::Kind::tensor;
  t.streams = dice.in(2, 4);
  t.iterations = dice.in(1, 3);
  t.exchange = random_exchange(dice, s.workers());
  t.exchange.consistency = Consistency::synchronous;
  t.exchange.backup_workers = 0;
  if (t.exchange.pull_at == PullAt::first_use) t.overlap.kind = OverlapKind::layerwise;
  t.selection.reset();
  t.compression = {};
  keep_shards(s, seed);
  keep_blocking_rings(s, seed);
  return s;
}

} // namespace gradflight::test
