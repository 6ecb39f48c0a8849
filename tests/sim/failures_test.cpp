// Scenarios with failures in the engine: waiting compared with given changes, and restarts compared with plain runs.
#include "scenarios/language/types/scenario.hpp"
#include "sim/failures.hpp"

#include "sim/jobs.hpp"

#include "platforms/code/outages.hpp"
#include "sim/engine/streams/failure.hpp"
#include "sim/recovery/checkpoint_time.hpp"
#include "sim/recovery/lifetime.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace gradflight;
using namespace gradflight::test;

namespace {

FailureSpec some_fail(ComponentKind kind, double mtbf, std::optional<double> mttr, std::int64_t seed = 0) {
  FailureSpec failures;
  failures.seed = seed;
  failures.at(kind).emplace();
  failures.at(kind)->mtbf = Seconds(mtbf);
  if (mttr) failures.at(kind)->mttr = Seconds(*mttr);
  return failures;
}

Scenario a_ring(int p, std::int64_t iterations) {
  Scenario s = star(p, 1'000'000, Algorithm::ring);
  s.workload.layers[0].forward = 0.01;
  s.workload.layers[0].backward = 0.02;
  training(s).iterations = iterations;
  return s;
}

RunResult simulated(const Scenario& s) { return simulate(s, build_platform(s.platform, extra_nodes(s))); }

} // namespace

TEST_CASE("a job that waits is one whose links and nodes go down and come up at the times drawn") {
  const auto kind = GENERATE(ComponentKind::node, ComponentKind::gpu, ComponentKind::nic, ComponentKind::link,
                             ComponentKind::switch_);
  Scenario s = a_ring(4, 40);
  s.failures = some_fail(kind, 0.3, 0.05, 3);
  const RunResult result = simulated(s);
  REQUIRE(result.failures);
  CHECK(result.failures->first.failure_count() > 0);
  CHECK(result.failures->first.failure_count() == static_cast<std::int64_t>(result.failures->outages.size()));

  Scenario by_hand = a_ring(4, 40);
  const Platform platform = build_platform(s.platform, 0);
  std::vector<PlatformError> errors;
  const auto components = find_components(*s.failures, s.platform, platform, errors);
  Outages outages(*s.failures, components, 0);
  std::vector<Outage> all;
  while (outages.next() < result.time) all.push_back(outages.take());
  struct Edge {
    double at;
    ChangeSpec change;
  };
  std::vector<Edge> edges;
  for (const Outage& outage : all) {
    const std::string name = components[outage.component].name;
    for (const auto& [at, up] : {std::pair(outage.at, false), {outage.until, true}}) {
      ChangeSpec change;
      change.at = Seconds(at);
      change.up = up;
      const int number = components[outage.component].number;
      if (kind == ComponentKind::node) change.nodes = {number};
      if (kind == ComponentKind::gpu) change.gpu = number;
      if (kind == ComponentKind::nic || kind == ComponentKind::link) change.nic = "node" + std::to_string(number);
      if (kind == ComponentKind::switch_) change.switch_name = "switch";
      edges.push_back({at, change});
    }
  }
  std::ranges::stable_sort(edges, {}, &Edge::at);
  for (const Edge& edge : edges) by_hand.changes.push_back(edge.change);
  CHECK(simulated(by_hand).time == result.time);
  CHECK(result.failures->first.useful == simulated(a_ring(4, 40)).time);
  CHECK(result.failures->first.useful + result.failures->first.at(Loss::repair) == Approx(result.time).epsilon(1e-15));
}

TEST_CASE("what is never repaired ends the run with its name") {
  Scenario s = a_ring(4, 1000);
  s.failures = some_fail(ComponentKind::gpu, 5, {});
  try {
    simulated(s);
    FAIL("it ended");
  } catch (const SimulationFailure& failure) {
    CHECK_THAT(failure.what(), Catch::Contains("never repaired: GPU"));
    CHECK_FALSE(failure.blocked.empty());
  }
}

TEST_CASE("a restarted job of which nothing fails takes what it takes, and its checkpoints") {
  Scenario s = a_ring(4, 1000);
  const RunResult plain = simulated(s);
  s.failures = some_fail(ComponentKind::node, 1e15, 10.0);
  s.recovery.emplace();
  s.recovery->policy = RecoveryPolicy::restart;
  RunResult result = simulated(s);
  REQUIRE(result.failures);
  CHECK(result.failures->simulated_iterations == 8);
  CHECK(result.failures->steady);
  const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-9 * b; };
  CHECK(close(result.time, plain.time));
  CHECK(close(result.iteration_time, plain.iteration_time));
  CHECK(result.messages == plain.messages);
  CHECK(close(result.wire_bytes, plain.wire_bytes));
  for (std::size_t part = 0; part < result.path.size(); ++part)
    CHECK(std::abs(result.path[part] - plain.path[part]) <= 1e-9 * plain.time);
  for (std::size_t l = 0; l < plain.links.size(); ++l) {
    CHECK(close(result.links[l].bytes, plain.links[l].bytes));
    CHECK(close(result.links[l].busy, plain.links[l].busy));
  }
  s.recovery->checkpoint.emplace();
  s.recovery->checkpoint->every_iterations = 100;
  s.recovery->checkpoint->write = Seconds(2);
  result = simulated(s);
  CHECK(close(result.time, plain.time + 9 * 2)); // no checkpoint after the last iteration
  CHECK(result.failures->first.checkpoints == 9);
  CHECK(close(result.failures->first.at(Loss::checkpoint), 18));
  s.recovery->checkpoint->asynchronous = true;
  CHECK(close(simulated(s).time, plain.time));
}

TEST_CASE("an asynchronous checkpoint that takes longer than the interval delays the next one") {
  Scenario s = a_ring(4, 10);
  const RunResult plain = simulated(s);
  const double iteration = plain.time / 10;
  s.failures = some_fail(ComponentKind::node, 1e15, 10.0);
  s.recovery.emplace();
  s.recovery->policy = RecoveryPolicy::restart;
  s.recovery->checkpoint.emplace();
  s.recovery->checkpoint->every_iterations = 2;
  s.recovery->checkpoint->write = Seconds(3 * iteration);
  s.recovery->checkpoint->asynchronous = true;
  // Checkpoints are taken after 2, 5, 8 and 11 iterations' time; 2 iterations follow the last one.
  const RunResult result = simulated(s);
  CHECK(std::abs(result.time - 13 * iteration) <= 1e-9 * result.time);
  CHECK(result.failures->first.checkpoints == 3);
  CHECK(std::abs(result.failures->first.at(Loss::checkpoint) - 3 * iteration) <= 1e-9 * result.time);
}

TEST_CASE("a spare replaces a whole node, so its other parts have not aged") {
  // Each GPU fails some 100 s after it was new. Two nodes of two GPUs work for 280 s, so both are replaced twice.
  Scenario s = a_ring(4, 280);
  s.platform.nodes = s.platform.gpus_per_node = 2;
  s.workload.layers[0].forward = 1;
  s.failures = some_fail(ComponentKind::gpu, 100, 1000.0);
  s.failures->at(ComponentKind::gpu)->shape = 100;
  s.recovery.emplace();
  s.recovery->policy = RecoveryPolicy::restart;
  s.recovery->spares = 8;
  s.recovery->checkpoint.emplace();
  s.recovery->checkpoint->every_iterations = 1;
  const RunResult result = simulated(s);
  CHECK(result.failures->first.failure_count() == 4);
  CHECK(result.failures->first.at(Loss::repair) == 0);
}

TEST_CASE("a checkpoint interval that is a whole number of iterations has so many") {
  for (const double step : {0.1, 0.2, 0.3, 0.7, 0.9, 3.6})
    for (const int count : {1, 3, 7, 10, 1000}) {
      LifetimeSetup setup;
      setup.every_time = step * count;
      CHECK(iterations_between(setup, step) == count);
      CHECK(iterations_between(setup, step + 3 - 3) == count); // with the rounding of a difference of times
      setup.every_time *= 1 + 1e-6;
      CHECK(iterations_between(setup, step) == count + 1);
    }
}

TEST_CASE("a pipelined job's iterations are found to repeat, too") {
  Scenario s = a_ring(4, 5000);
  training(s).overlap = {OverlapKind::pipelined, GENERATE(2, 3)};
  const double plain = simulated(s).time;
  s.failures = some_fail(ComponentKind::node, 1e15, 10.0);
  s.recovery.emplace();
  s.recovery->policy = RecoveryPolicy::restart;
  const RunResult result = simulated(s);
  CHECK(std::abs(result.time - plain) <= 1e-9 * plain);
  CHECK(result.failures->steady); // the last iterations end while the pipeline drains, and are no example
  CHECK(result.failures->simulated_iterations <= 32);
}

TEST_CASE("iterations without an exchange count as such, also where failures restart a job") {
  const int every = GENERATE(2, 3, 5, 7, 16, 40);
  const bool pipelined = GENERATE(false, true);
  Scenario s = a_ring(4, 1001);
  training(s).every = every;
  if (pipelined) training(s).overlap = {OverlapKind::pipelined, 2};
  const RunResult plain = simulated(s);
  s.failures = some_fail(ComponentKind::node, 1e15, 10.0);
  s.recovery.emplace();
  s.recovery->policy = RecoveryPolicy::restart;
  RunResult result = simulated(s);
  CAPTURE(every, pipelined);
  CHECK(result.failures->steady);
  const double tiny = 1e-9 * plain.time;
  CHECK(std::abs(result.time - plain.time) <= tiny);
  CHECK(result.messages == plain.messages);
  CHECK(std::abs(result.communication_time - plain.communication_time) <= 1e-9 * plain.communication_time);
  if (!pipelined) // else its fill is not hidden
    CHECK(std::abs(result.exposed_communication_time - plain.exposed_communication_time) <=
          1e-9 * plain.exposed_communication_time);
  CHECK(std::abs(result.wire_bytes - plain.wire_bytes) <= 1e-9 * plain.wire_bytes);
  if (!pipelined) // else equally long paths exist
    for (std::size_t part = 0; part < result.path.size(); ++part)
      CHECK(std::abs(result.path[part] - plain.path[part]) <= tiny);
  CHECK(std::abs(std::accumulate(result.path.begin(), result.path.end(), 0.0) - plain.time) <= tiny);
  if (pipelined) return; // each checkpoint drains the pipeline
  s.recovery->checkpoint.emplace();
  s.recovery->checkpoint->every_iterations = 100;
  s.recovery->checkpoint->write = Seconds(2);
  const double exchange = plain.time / (1001.0 / every); // at most
  CHECK(std::abs(simulated(s).time - (plain.time + 10 * 2)) <= exchange);
  s.recovery->checkpoint->asynchronous = true;
  CHECK(std::abs(simulated(s).time - plain.time) <= exchange);
}

TEST_CASE("a cycle of more iterations than a result lists is refused before anything is simulated") {
  Scenario s = a_ring(4, 1'000'000);
  training(s).every = 25'001;
  s.failures = some_fail(ComponentKind::node, 1e15, 10.0);
  s.recovery.emplace();
  s.recovery->policy = RecoveryPolicy::restart;
  CHECK_THROWS_WITH(simulated(s), Catch::Contains("training.every of 25001") && Catch::Contains("at most 20000"));
  training(s).every = 2000;
  training(s).iterations = 100'001;
  CHECK(simulated(s).failures->simulated_iterations == 8001);
}

TEST_CASE("repeats are lives with other seeds") {
  Scenario s = a_ring(4, 50'000);
  s.failures = some_fail(ComponentKind::node, 2000, 20.0, 5);
  s.failures->repeats = 3;
  s.recovery.emplace();
  s.recovery->policy = RecoveryPolicy::restart;
  s.recovery->checkpoint.emplace();
  s.recovery->checkpoint->every_time = Seconds(30);
  s.recovery->checkpoint->write = Seconds(1);
  const RunResult three = simulated(s);
  REQUIRE(three.failures->goodputs.size() == 3);
  s.failures->repeats = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(simulated(s).failures->goodputs.front() == three.failures->goodputs[i]);
    ++s.failures->seed;
  }
  REQUIRE(three.failures->best);
  CHECK(three.failures->best->goodput >=
        (three.failures->goodputs[0] + three.failures->goodputs[1] + three.failures->goodputs[2]) / 3);
}

TEST_CASE("a checkpoint goes through the network, every rank's part to its storage") {
  PlatformSpec spec;
  spec.nodes = 4;
  spec.network.link = {ByteRate(1e9), Seconds(1e-3), {}, {}};
  const Platform platform = build_platform(spec, 2);
  std::vector<int> ranks(4);
  std::iota(ranks.begin(), ranks.end(), 0);
  const std::vector<int> one = {4}, two = {4, 5};
  const CheckpointTimes into_one = checkpoint_times(spec, platform, ranks, one, 8e9);
  CHECK(std::abs(into_one.write - 8.002) <= 1e-9 * 8); // all parts use one node's cable
  CHECK(std::abs(into_one.read - 8.002) <= 1e-9 * 8);
  const CheckpointTimes into_two = checkpoint_times(spec, platform, ranks, two, 8e9);
  CHECK(std::abs(into_two.write - 4.002) <= 1e-9 * 4);
  CHECK(std::abs(into_two.read - 4.002) <= 1e-9 * 4);
  PlatformSpec wordy = spec;
  wordy.message_bytes = Bytes(1e9); // of each of four messages
  CHECK(std::abs(checkpoint_times(wordy, platform, ranks, one, 8e9).write - 12.002) <= 1e-9 * 12);
  const CheckpointTimes odd = checkpoint_times(spec, platform, std::span(ranks).first(3), two, 6e9);
  CHECK(std::abs(odd.write - 4.002) <= 1e-9 * 4); // two of three parts go to the first node
}

TEST_CASE("an elastic job goes on with the nodes that are left") {
  Scenario s = a_ring(4, 5000);
  s.failures = some_fail(ComponentKind::node, 400, {}, 2); // never repaired
  s.recovery.emplace();
  s.recovery->policy = RecoveryPolicy::restart;
  s.recovery->detection = Seconds(1);
  s.recovery->restart = Seconds(2);
  s.recovery->checkpoint.emplace();
  s.recovery->checkpoint->every_iterations = 100;
  s.recovery->checkpoint->write = Seconds(0.5);
  CHECK_THROWS_AS(simulated(s), SimulationFailure);
  s.recovery->least_nodes = 2;
  const RunResult result = simulated(s);
  REQUIRE(result.failures->first.failure_count() == 1);
  CHECK(result.failures->first.fewest_nodes == 3);
  // By hand: cycles of a hundred iterations until the failure, then those of three nodes.
  const double failed = result.failures->outages.front().at;
  const auto hundred = [](int nodes) { return simulated(a_ring(nodes, 100)).time; };
  const double cycles = std::floor(failed / (hundred(4) + 0.5)), left = std::ceil((5000 - 100 * cycles) * 4 / 3);
  const double writes = std::ceil(left / 100) - 1;
  const double rest = simulated(a_ring(3, static_cast<std::int64_t>(left - 100 * writes))).time;
  const double expected = failed + 1 + 2 + (cycles > 0 ? 0.5 : 0) + writes * (hundred(3) + 0.5) + rest;
  CHECK(std::abs(result.time - expected) <= 1e-9 * expected);
}

TEST_CASE("jobs beside each other wait for repairs, each with its own end") {
  Scenario s = a_ring(4, 40);
  JobSpec one;
  one.workload = s.workload;
  one.phases = s.phases;
  for (const int first : {0, 2}) {
    one.name = first == 0 ? "a" : "b";
    one.ranks = {first, first + 1};
    s.jobs.push_back(one);
  }
  s.phases.clear();
  s.workload = {};
  const RunResult calm = simulated(s);
  s.failures = some_fail(ComponentKind::gpu, 1, 0.05, 3);
  const RunResult result = simulated(s);
  REQUIRE(result.jobs.size() == 2);
  REQUIRE(result.failures);
  CHECK(result.failures->first.useful == calm.time);
  CHECK(result.failures->first.failure_count() > 0);
  CHECK(result.time > calm.time);
  CHECK(result.time == std::max(result.jobs[0].run.time, result.jobs[1].run.time));
  // Alone on its nodes, a job has the same failures: on a star, nothing else affects it.
  for (const Scenario& job : job_scenarios(s)) {
    const double alone = simulate(job, build_platform(s.platform, 0)).time;
    CHECK(alone == result.jobs[static_cast<std::size_t>(job.seat->name == "b")].run.time);
  }
}
