// A job's buckets around the layers, and the tasks of its streams: by hand. The memory of its programs.
#include "analysis/run/address_sanitizer.hpp"
#include "models/schedules/parts/collective.hpp"
#include "platforms/code/platform.hpp"
#include "sim/training/bucket_layout.hpp"
#include "sim/training/exchange_tasks.hpp"
#include "sim/training/job.hpp"
#include "tests/support/forked.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <malloc.h>
#include <memory>
#include <vector>

#ifdef GF_ADDRESS_SANITIZER
#include <sanitizer/allocator_interface.h>
#endif

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Three layers with one bucket each; the last layer's bucket is ready first.
Scenario three_layers(Algorithm algorithm) {
  Scenario s = star(2, 1, algorithm);
  s.workload.layers = {{"a", 1, 1, {{"a", 10}}}, {"b", 1, 1, {{"b", 20}}}, {"c", 1, 1, {{"c", 30}}}};
  training(s).granularity.kind = Granularity::Kind::layer;
  return s;
}

BucketLayout buckets_of(const Scenario& s) {
  const TrainingSpec& t = s.phases.front().training;
  return {exchange_buckets(s.workload, t), s.workload, t};
}

ExchangeTasks tasks_of(const Scenario& s) {
  return {s.phases.front().training, buckets_of(s), s.workload.layers.size(), s.workers(), false};
}

/// The bytes that this process has allocated and not freed.
std::size_t allocated() {
#ifdef GF_ADDRESS_SANITIZER
  return __sanitizer_get_current_allocated_bytes();
#else
  return mallinfo2().uordblks;
#endif
}

/// Returns the bytes of the programs of a rank among `ranks`.
std::size_t bytes_of_programs(Algorithm algorithm, int ranks) {
  const Scenario s = star(ranks, 1'000'000, algorithm);
  const Platform platform = build_platform(s.platform, 0);
  const Job job(s, s.phases.front(), platform);
  std::vector<std::unique_ptr<Program>> programs(static_cast<std::size_t>(job.plan_streams()));
  const std::size_t before = allocated();
  for (std::size_t stream = 0; stream < programs.size(); ++stream)
    programs[stream] = job.program(0, static_cast<int>(stream));
  return allocated() - before;
}

std::vector<int> buckets_of(const std::vector<Task>& tasks) {
  std::vector<int> buckets;
  for (const Task& task : tasks) buckets.push_back(task.bucket);
  return buckets;
}

} // namespace

TEST_CASE("a layout knows which layer completes a bucket, and which needs it first") {
  Scenario s = three_layers(Algorithm::ring);
  CostSpec copy;
  copy.fixed = Seconds(2);
  training(s).costs = {copy};
  const BucketLayout layers = buckets_of(s);
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].elements == 30);
  CHECK(layers.plan(2).elements == 10);
  REQUIRE(layers.plan(0).before.size() == 1);
  CHECK(layers.plan(0).before[0].seconds == 2);
  for (int layer = 0; layer < 3; ++layer) {
    CHECK(layers.ready(layer) == 1);
    CHECK(layers.first_used(layer) == std::vector{2 - layer});
  }
  training(s).granularity.kind = Granularity::Kind::model;
  const BucketLayout whole = buckets_of(s);
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].elements == 60);
  CHECK(whole.ready(0) == 1);
  CHECK(whole.ready(2) == 0);
  CHECK(whole.first_used(0) == std::vector{0});
  CHECK(whole.first_used(1).empty());
}

TEST_CASE("streams take buckets in turn, and each waits for its gradients") {
  Scenario s = three_layers(Algorithm::ring);
  training(s).streams = 2;
  const ExchangeTasks tasks = tasks_of(s);
  REQUIRE(tasks.rounds() == 1);
  CHECK(buckets_of(tasks.round(0)[0]) == std::vector{0, 2});
  CHECK(buckets_of(tasks.round(0)[1]) == std::vector{1});
  CHECK(tasks.awaited(tasks.round(0)[0][1], 0, 0) == 3);
  CHECK(tasks.awaited(tasks.round(0)[0][1], 5, 0) == 5 * 3 + 3);
  CHECK(tasks.finish(2).stream == 0);
  CHECK(tasks.finish(2).tasks == 2);
  CHECK(tasks.sharded() == nullptr);
}

TEST_CASE("with pull at first use all pushes come first, and pulls follow the forward pass") {
  Scenario s = three_layers(Algorithm::parameter_server);
  training(s).exchange.pull_at = PullAt::first_use;
  const ExchangeTasks tasks = tasks_of(s);
  const std::vector<Task>& stream = tasks.last_round()[0];
  CHECK(buckets_of(stream) == std::vector{0, 1, 2, 2, 1, 0});
  CHECK(stream[2].first_leg);
  CHECK_FALSE(stream[2].last_leg);
  CHECK(stream[3].last_leg);
  CHECK(tasks.awaited(stream[3], 0, 0) == 0);
  CHECK(tasks.finish(2).tasks == 4);
  CHECK(tasks.finish(0).tasks == 6);
}

TEST_CASE("a sharded exchange has a round for each mini-batch, with signals of its own") {
  Scenario s = three_layers(Algorithm::sharded);
  training(s).accumulation = 3;
  training(s).exchange.sharded.stage = 3;
  const ExchangeTasks tasks = tasks_of(s);
  REQUIRE(tasks.sharded() != nullptr);
  CHECK(tasks.rounds() == 3);
  CHECK(&tasks.round(2) == &tasks.last_round());
  CHECK(&tasks.round(0) == &tasks.round(1));
  const std::int64_t each = tasks.sharded()->signals_in_round;
  CHECK(tasks.awaited(tasks.round(1)[0][0], 1, 1) == 3 * each + each + tasks.round(1)[0][0].awaits);
}

TEST_CASE("the programs of a rank need no more memory among more ranks") {
  const auto row = std::ranges::find(collectives(), "double_binary_tree", &Collective::name);
  const auto double_tree = static_cast<Algorithm>(row - collectives().begin());
  for (const Algorithm algorithm : {Algorithm::ring, double_tree})
    CHECK(bytes_of_programs(algorithm, 4096) < bytes_of_programs(algorithm, 16) + 1024);
}
