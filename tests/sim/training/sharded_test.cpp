// The simulation of sharded data parallelism: the number and times of gathers and scatters, and their dependencies.
#include "sim/training/job.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_scenario.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Layers of 1 ms forward and 2 ms backward with one tensor each, on nodes with 10 Gbps.
Scenario sharded_star(int p, int layers, int stage, std::int64_t elements = 240'000) {
  Scenario s = star(p, 1, Algorithm::sharded);
  s.workload.layers.clear();
  for (int l = 0; l < layers; ++l) s.workload.layers.push_back({"l", 1e-3, 2e-3, {{"w", elements}}});
  s.workload.update = 1e-3;
  training(s).granularity.kind = Granularity::Kind::layer;
  training(s).exchange.sharded.stage = stage;
  training(s).exchange.all_gather = AllGather::ring;
  return s;
}

/// Returns the bytes of (p-1)/p of the gradient on all ranks, `times` times.
double sharded_volume(const Scenario& s, double times) {
  return times * dense_bytes(s.workload.elements()) * (s.workers() - 1);
}

/// Numbers of gathers and scatters of each bucket in a round of each rank's only stream.
struct RoundCounts {
  std::vector<int> gathers, scatters;
};
RoundCounts counts_of(const Job& job, const std::vector<Task>& tasks) {
  RoundCounts counts{std::vector<int>(static_cast<std::size_t>(job.buckets.size())), {}};
  counts.scatters = counts.gathers;
  for (const Task& task : tasks)
    ++(task.parameters ? counts.gathers : counts.scatters)[static_cast<std::size_t>(task.bucket)];
  return counts;
}

bool every_one_is(const std::vector<int>& counts, int value) {
  return std::ranges::all_of(counts, [value](int c) { return c == value; });
}

} // namespace

TEST_CASE("a step's volume: 2 of the gradient, 3 where parameters are gathered twice, more with mini-batches") {
  for (const int p : {2, 3, 8}) {
    struct Case {
      int stage, accumulation;
      bool reshard, no_sync;
      double volume;
    };
    for (const Case& c : {Case{1, 1, true, false, 2}, Case{2, 1, true, false, 2}, Case{3, 1, true, false, 3},
                          Case{3, 1, false, false, 2}, Case{1, 4, true, false, 2}, Case{2, 4, true, false, 5},
                          Case{2, 4, true, true, 2}, Case{3, 4, true, false, 12}, Case{3, 4, true, true, 9},
                          Case{3, 4, false, false, 8}, Case{3, 4, false, true, 5}}) {
      Scenario s = sharded_star(p, 3, c.stage);
      training(s).accumulation = c.accumulation;
      training(s).iterations = 2;
      training(s).exchange.sharded.reshard_after_forward = c.reshard;
      training(s).exchange.sharded.no_sync = c.no_sync;
      INFO("p " << p << " stage " << c.stage << " mini-batches " << c.accumulation);
      CHECK(run(s).payload_bytes == Approx(2 * sharded_volume(s, c.volume)).epsilon(1e-12));
    }
  }
}

TEST_CASE("groups scatter and gather inside, and add up shards across") {
  Scenario s = sharded_star(8, 3, 3);
  training(s).exchange.sharded.group_size = 4;
  const double n = dense_bytes(s.workload.elements());
  // Per rank: 3 (F-1)/F n inside groups, 2 (G-1)/G n/F across groups.
  CHECK(run(s).payload_bytes == Approx(8 * n * (3 * 3.0 / 4 + 2 * 0.5 / 4)).epsilon(1e-12));
}

TEST_CASE("without overlap a step is the sum of its parts") {
  const int p = 4;
  const double n = 4 * 240'000.0, ring = (p - 1) * 10e-6 + (p - 1) * n / p / 1.25e9, gamma = (p - 1) * n / p / 10e9;
  for (const int stage : {1, 2, 3}) {
    Scenario s = sharded_star(p, 3, stage);
    training(s).exchange.sharded.prefetch = 0;
    const double gathers = stage == 3 ? 6 : 3;
    const ForkedRun o = run(s);
    CHECK(o.time == Approx(9e-3 + 1e-3 / p + gathers * ring + 3 * (ring + gamma)).epsilon(1e-12));
    CHECK(o.compute_time == Approx(9e-3 + 1e-3 / p).epsilon(1e-12));
  }
}

TEST_CASE("with prefetch only the first gather and the last scatter are exposed where passes are long") {
  const int p = 4;
  const double n = 4 * 240'000.0, ring = (p - 1) * 10e-6 + (p - 1) * n / p / 1.25e9, gamma = (p - 1) * n / p / 10e9;
  REQUIRE(2 * ring + gamma < 2e-3); // a gather and a scatter during a backward pass
  Scenario s = sharded_star(p, 4, 3);
  training(s).overlap.kind = OverlapKind::layerwise;
  // The last layer's parameters are freed, and immediately gathered again for its backward pass.
  const ForkedRun o = run(s);
  CHECK(o.time == Approx(12e-3 + 1e-3 / p + 2 * ring + ring + gamma).epsilon(1e-12));
  training(s).exchange.sharded.reshard_after_forward = false;
  CHECK(run(s).time == Approx(12e-3 + 1e-3 / p + ring + ring + gamma).epsilon(1e-12));
  training(s).exchange.sharded.stage = 2; // all gathers follow the update
  CHECK(run(s).time == Approx(12e-3 + 1e-3 / p + 4 * ring + ring + gamma).epsilon(1e-12));
  training(s).exchange.pull_at = PullAt::first_use;
  training(s).iterations = 3; // the first iteration needs no gather; the others wait only for the first layer's
  CHECK(run(s).time == Approx(3 * (12e-3 + 1e-3 / p + ring + gamma) + 2 * ring + 4 * ring).epsilon(1e-12));
}

TEST_CASE("more prefetch is never slower, and one group is what no group is") {
  Scenario s = sharded_star(5, 6, 3, 2'400'000);
  training(s).overlap.kind = OverlapKind::layerwise;
  training(s).iterations = 2;
  double before = 0;
  for (const int prefetch : {0, 1, 2, 5}) {
    training(s).exchange.sharded.prefetch = prefetch;
    const double time = run(s).time;
    if (prefetch > 0) CHECK(time <= before * (1 + 1e-12));
    before = time;
  }
  for (const int size : {5, 100}) {
    training(s).exchange.sharded.group_size = size;
    CHECK(run(s).time == before);
  }
}

TEST_CASE("a rank alone gathers nothing and updates all") {
  Scenario s = sharded_star(1, 3, 3);
  CHECK(run(s).messages == 0);
  CHECK(run(s).time == Approx(10e-3).epsilon(1e-12));
  s = sharded_star(4, 3, 3);
  training(s).exchange.sharded.group_size = 1; // no sharding: an all-reduce across groups of one
  const ForkedRun o = run(s);
  CHECK(o.payload_bytes == Approx(sharded_volume(s, 2)).epsilon(1e-12));
  CHECK(o.compute_time == Approx(10e-3).epsilon(1e-12));
}

TEST_CASE("parameters are gathered once for each use, gradients scattered once for each mini-batch or step") {
  REQUIRE(rc::check("tasks of a round", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    Scenario s = sharded_star(dice.in(1, 4), dice.in(1, 6), dice.in(1, 3), 1000);
    TrainingSpec& t = training(s);
    for (Layer& l : s.workload.layers)
      l.tensors.assign(static_cast<std::size_t>(dice.in(1, 3)), {"t", dice.in(1, 900)});
    t.granularity = {
        .kind = static_cast<Granularity::Kind>(dice.in(0, 5)), .bytes = dice.real(100, 9000), .segments = 3};
    t.overlap.kind = dice.chance(50) ? OverlapKind::none : OverlapKind::layerwise;
    t.accumulation = 2;
    ShardedSpec& sharded = t.exchange.sharded;
    sharded.prefetch = dice.in(0, 4);
    sharded.reshard_after_forward = dice.chance(50);
    sharded.no_sync = dice.chance(50);
    const Platform platform = build_platform(s.platform, 0);
    const Job job(s, s.phases[0], platform);
    const std::size_t passes = 2 * s.workload.layers.size();
    const bool late = sharded.stage == 1 || sharded.no_sync;
    const int uses = sharded.stage < 3 ? 0 : sharded.reshard_after_forward ? 2 : 1;
    const RoundCounts middle = counts_of(job, job.tasks.round(0)[0]), last = counts_of(job, job.tasks.round(1)[0]);
    RC_ASSERT(every_one_is(middle.gathers, uses));
    RC_ASSERT(every_one_is(last.gathers, sharded.stage < 3 ? 1 : uses));
    RC_ASSERT(every_one_is(middle.scatters, late ? 0 : 1));
    RC_ASSERT(every_one_is(last.scatters, 1));
    // Tasks are in the order of their dependencies, and no task that a pass needs depends on a later pass.
    for (const ShardedTasks::Round* round : {&job.tasks.sharded()->each, &job.tasks.sharded()->last}) {
      const std::vector<Task>& tasks = round->tasks[0];
      RC_ASSERT(std::ranges::is_sorted(tasks, {}, &Task::awaits));
      RC_ASSERT(round->before.size() == passes);
      for (std::size_t pass = 0; pass < passes; ++pass)
        for (const ShardedTasks::Wait& wait : round->before[pass])
          RC_ASSERT(tasks[static_cast<std::size_t>(wait.count) - 1].awaits <= static_cast<std::int64_t>(pass) + 1);
    }
  }));
}

TEST_CASE("no shortcut stands for a sharded exchange") {
  const Scenario s = sharded_star(8, 3, 3);
  const Platform platform = build_platform(s.platform, 0);
  CHECK_FALSE(Job(s, s.phases[0], platform).rings());
}
