// Hierarchies: random levels are complete, and the papers' figures are special settings with the expected costs.
#include "tests/models/schedules/schedule_executor.hpp"

#include "models/schedules/make_schedule.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include <algorithm>

using namespace gradflight;
using namespace gradflight::test;

namespace {

struct Traffic {
  std::int64_t messages = 0, elements = 0;
  void add(std::int64_t count, std::int64_t total) {
    messages += count;
    elements += total;
  }
};

void add_reduce(Traffic& sum, const HierarchyLevel& level, std::int64_t k, std::int64_t n) {
  const std::int64_t master_gets = level.dedicated ? k : k - 1;
  const std::int64_t gathered = level.dedicated ? n : n - Blocks(n, static_cast<int>(k)).range(1 % k).count;
  switch (level.reduce) {
  case GroupReduce::flat:
  case GroupReduce::binomial: return sum.add(master_gets, master_gets * n);
  case GroupReduce::ring: return sum.add(k * (k - 1) + master_gets, (k - 1) * n + gathered);
  case GroupReduce::allreduce:
    sum.add(2 * k * (k - 1), 2 * (k - 1) * n);
    if (level.dedicated) sum.add(k, n);
  }
}

void add_broadcast(Traffic& sum, const HierarchyLevel& level, std::int64_t k, std::int64_t n) {
  const std::int64_t receivers = level.dedicated ? k : k - 1;
  if (level.broadcast != GroupBroadcast::ring) return sum.add(receivers, receivers * n);
  sum.add(receivers + (k - 1) * (level.dedicated ? k : k - 1), receivers * n);
}

ExchangeSpec hierarchy(std::vector<HierarchyLevel> levels, Algorithm top = Algorithm::ring) {
  ExchangeSpec exchange;
  exchange.algorithm = Algorithm::hierarchical;
  exchange.levels = std::move(levels);
  exchange.top = top;
  return exchange;
}

int alphas(const ExchangeSpec& exchange, int workers) {
  ExecutorOptions options;
  options.no_repeats = false;
  options.n = 96;
  const Execution execution = execute(exchange, workers, options);
  REQUIRE(all_reduced(execution, workers));
  return execution.alphas;
}

} // namespace

TEST_CASE("hierarchies of random groups, algorithms and tops are complete and carry what their parts carry") {
  REQUIRE(rc::check("hierarchical", [] {
    const int p = *rc::gen::inRange(1, 65);
    const std::int64_t n =
        *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 80), rc::gen::inRange<std::int64_t>(1, 2000));
    std::vector<HierarchyLevel> levels;
    for (int depth = *rc::gen::inRange(0, 4); depth > 0; --depth)
      levels.push_back(
          {*rc::gen::inRange(1, 12),
           *rc::gen::element(GroupReduce::ring, GroupReduce::flat, GroupReduce::binomial, GroupReduce::allreduce),
           *rc::gen::element(GroupBroadcast::flat, GroupBroadcast::binomial, GroupBroadcast::ring),
           *rc::gen::arbitrary<bool>()});
    std::vector<Algorithm> tops = algorithms();
    std::erase_if(tops, [](Algorithm a) { return collective(a).among_masters == nullptr; });
    const Algorithm top = *rc::gen::elementOf(tops);
    ExecutorOptions options;
    options.n = n;
    options.seed = *rc::gen::arbitrary<unsigned>();
    options.rendezvous = *rc::gen::arbitrary<bool>();

    Traffic expected;
    std::int64_t members = p;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const std::int64_t size = levels[l].group_size, groups = (members + size - 1) / size;
      const bool last_group = groups == 1;
      const bool informed = last_group && levels[l].reduce == GroupReduce::allreduce && !levels[l].dedicated;
      // The last ring leaves finished blocks at members; these blocks arrive again with the whole vector. An aggregator
      // also sends members of an all-reduce data that they already have.
      const bool aggregated = std::any_of(levels.begin() + static_cast<std::ptrdiff_t>(l), levels.end(),
                                          [](const HierarchyLevel& above) { return above.dedicated; });
      if (last_group && (levels[l].reduce == GroupReduce::ring || aggregated)) options.no_repeats = false;
      for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t k = std::min(size, members - g * size);
        add_reduce(expected, levels[l], k, n);
        if (!informed) add_broadcast(expected, levels[l], k, n);
      }
      members = groups;
    }
    if (members > 1) {
      ExchangeSpec among;
      among.algorithm = top;
      if (top == Algorithm::parameter_server) among = hierarchy({{64, GroupReduce::flat, GroupBroadcast::flat, false}});
      ExecutorOptions plain;
      plain.n = n;
      const Execution exchange = execute(among, static_cast<int>(members), plain);
      expected.add(exchange.messages, exchange.units);
    }

    const Execution execution = execute(hierarchy(levels, top), p, options);
    RC_ASSERT(all_reduced(execution, p));
    RC_ASSERT(execution.messages == expected.messages);
    RC_ASSERT(execution.units == expected.elements);
  }));
}

TEST_CASE("the papers' hierarchies are settings") {
  const HierarchyLevel aggregators{4, GroupReduce::flat, GroupBroadcast::flat, true};
  const HierarchyLevel rings{4, GroupReduce::allreduce, GroupBroadcast::flat, false};

  SECTION("INCEPTIONN Fig. 1(a): a tree of aggregators is one message a level up and one down") {
    const ExchangeSpec exchange = hierarchy({aggregators, aggregators});
    CHECK(helper_count(exchange, 16) == 5);
    CHECK(alphas(exchange, 16) == 4);
  }
  SECTION("INCEPTIONN Fig. 1(b): rings at the leaves, an aggregator above") {
    const ExchangeSpec exchange = hierarchy({rings, aggregators});
    CHECK(helper_count(exchange, 16) == 1);
    CHECK(alphas(exchange, 16) == 2 * 3 + 2 + 1);
  }
  SECTION("INCEPTIONN Fig. 1(c): rings at all levels") {
    CHECK(alphas(hierarchy({rings}), 16) == 2 * 3 + 2 * 3 + 1);
    CHECK(alphas(hierarchy({rings, rings}), 16) == 2 * 3 + 2 * 3 + 1);
  }
  SECTION("GradientFlow Fig. 7(b): ring reduce to a master, ring of masters, broadcast") {
    const ExchangeSpec exchange = hierarchy({HierarchyLevel{4}});
    CHECK(helper_count(exchange, 16) == 0);
    CHECK(alphas(exchange, 16) == (3 + 1) + 2 * 3 + 2);
  }
}

TEST_CASE("each way of a group costs the rounds that group.hpp states") {
  const int k = 8;
  const auto level = [](GroupReduce reduce, GroupBroadcast broadcast, bool dedicated) {
    return hierarchy({HierarchyLevel{k, reduce, broadcast, dedicated}});
  };
  CHECK(alphas(level(GroupReduce::flat, GroupBroadcast::flat, false), k) == 1 + 1);
  CHECK(alphas(level(GroupReduce::flat, GroupBroadcast::binomial, false), k) == 1 + 3);
  CHECK(alphas(level(GroupReduce::flat, GroupBroadcast::binomial, true), k) == 1 + 4);
  CHECK(alphas(level(GroupReduce::binomial, GroupBroadcast::flat, false), k) == 3 + 1);
  CHECK(alphas(level(GroupReduce::flat, GroupBroadcast::ring, false), k) == 1 + 1 + 7);
  CHECK(alphas(level(GroupReduce::flat, GroupBroadcast::ring, true), k) == 1 + 1 + 7);
  CHECK(alphas(level(GroupReduce::ring, GroupBroadcast::flat, false), k) == 7 + 1 + 1);
  CHECK(alphas(level(GroupReduce::ring, GroupBroadcast::flat, true), k) == 7 + 1 + 1);
  CHECK(alphas(level(GroupReduce::allreduce, GroupBroadcast::flat, false), k) == 14);
}

TEST_CASE("a hierarchy without a schedule for its masters is refused") {
  CHECK_THROWS_AS(make_schedule(hierarchy({{4, GroupReduce::ring, GroupBroadcast::flat, false}}, Algorithm::gtopk), 8),
                  std::invalid_argument);
  CHECK_THROWS_AS(make_schedule(hierarchy({{0, GroupReduce::ring, GroupBroadcast::flat, false}}), 8),
                  std::invalid_argument);
  CHECK_NOTHROW(make_schedule(hierarchy({{8, GroupReduce::ring, GroupBroadcast::flat, false}}, Algorithm::gtopk), 8));
}
