// Reduce-scatter and all-gather as separate collectives, and the exchange that combines them, also in groups.
#include "models/schedules/algorithms/sharded.hpp"
#include "models/schedules/algorithms/shards.hpp"
#include "tests/models/schedules/schedule_executor.hpp"
#include "tests/models/schedules/textbook.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

ExecutorOptions shard_options(std::int64_t n) {
  ExecutorOptions options;
  options.n = n;
  options.seed = *rc::gen::arbitrary<unsigned>();
  options.rendezvous = *rc::gen::arbitrary<bool>();
  options.wraps = true;
  return options;
}

std::int64_t shard_length() {
  return *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 80), rc::gen::inRange<std::int64_t>(1, 3000));
}

bool holds_all(const Vector& data, Range block, Contributions all) {
  for (std::int64_t i = block.first; i < block.first + block.count; ++i)
    if (data[static_cast<std::size_t>(i)] != all) return false;
  return true;
}

} // namespace

TEST_CASE("a reduce-scatter leaves the sum of block i at rank i, in (p-1)/p n a rank") {
  REQUIRE(rc::check("reduce-scatter", [] {
    const int p = *rc::gen::inRange(1, 65);
    const std::int64_t n = shard_length();
    const auto way = *rc::gen::element(ReduceScatter::ring, ReduceScatter::recursive_halving);
    const Execution execution = execute(ReduceScatterBlocks(p, way), shard_options(n));
    const Blocks blocks(n, p);
    for (int r = 0; r < p; ++r)
      RC_ASSERT(holds_all(execution.data[static_cast<std::size_t>(r)], blocks.range(r), everyone(p)));
    RC_ASSERT(execution.units == (p - 1) * n);
    RC_ASSERT(execution.alphas == (way == ReduceScatter::ring ? p - 1 : ceil_log2(p)));
  }));
}

TEST_CASE("an all-gather brings every block to every rank exactly once") {
  REQUIRE(rc::check("all-gather", [] {
    const int p = *rc::gen::inRange(1, 65);
    const std::int64_t n = shard_length();
    const auto way = *rc::gen::element(AllGather::ring, AllGather::recursive_doubling);
    ExecutorOptions options = shard_options(n);
    const Blocks blocks(n, p);
    options.initial = [&](int r) { // its own complete block; a repeated block would add nothing new
      Vector data(static_cast<std::size_t>(n), 0);
      const Range own = blocks.range(r);
      for (std::int64_t i = own.first; i < own.first + own.count; ++i) data[static_cast<std::size_t>(i)] = everyone(p);
      return data;
    };
    const Execution execution = execute(AllGatherBlocks(p, way), options);
    RC_ASSERT(all_reduced(execution, p));
    RC_ASSERT(execution.units == (p - 1) * n);
    RC_ASSERT(execution.alphas == (way == AllGather::ring ? p - 1 : ceil_log2(p)));
  }));
}

TEST_CASE("shards in groups: a scatter, the sum across groups, and a gather are an all-reduce") {
  REQUIRE(rc::check("hybrid sharding", [] {
    const int members = *rc::gen::inRange(1, 9), groups = *rc::gen::inRange(1, 9), p = members * groups;
    const std::int64_t n = shard_length();
    ExchangeSpec x;
    x.algorithm = Algorithm::sharded;
    x.sharded.group_size = members;
    x.sharded.reduce_scatter = *rc::gen::element(ReduceScatter::ring, ReduceScatter::recursive_halving);
    x.all_gather = *rc::gen::element(AllGather::ring, AllGather::recursive_doubling);
    x.top = *rc::gen::element(Algorithm::ring, Algorithm::halving_doubling, Algorithm::recursive_doubling,
                              Algorithm::binomial_tree, Algorithm::parameter_server);
    RC_PRE(p <= 64);
    const Execution whole = execute(*make_sharded(x, p, ShardedLeg::both), shard_options(n));
    RC_ASSERT(all_reduced(whole, p));

    const Execution scattered = execute(*make_sharded(x, p, ShardedLeg::scatter), shard_options(n));
    const Blocks blocks(n, members);
    for (int r = 0; r < p; ++r)
      RC_ASSERT(holds_all(scattered.data[static_cast<std::size_t>(r)], blocks.range(r % members), everyone(p)));
    const Execution gathered = [&] {
      ExecutorOptions options = shard_options(n);
      options.no_repeats = options.lossless = false; // partial sums remain from the scatter
      options.initial = [&](int r) { return scattered.data[static_cast<std::size_t>(r)]; };
      return execute(*make_sharded(x, p, ShardedLeg::gather), options);
    }();
    RC_ASSERT(all_reduced(gathered, p));
    RC_ASSERT(gathered.units == groups * (members - 1) * n);
    if (x.top == Algorithm::ring) RC_ASSERT(scattered.units == (p - groups) * n + 2 * (groups - 1) * n);
    RC_ASSERT(scattered.messages + gathered.messages == whole.messages);
  }));
}

TEST_CASE("ranks that do not form groups are refused, groups beyond all ranks are one") {
  ShardedSpec sharded;
  sharded.group_size = 4;
  CHECK_THROWS_AS(ShardGroups(sharded, 6), std::invalid_argument);
  CHECK(ShardGroups(sharded, 8).groups == 2);
  CHECK(ShardGroups(sharded, 3).members == 3);
  sharded.group_size = 0;
  CHECK(ShardGroups(sharded, 6).members == 6);
}
