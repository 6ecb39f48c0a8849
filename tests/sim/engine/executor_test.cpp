// The end of runs: consistent results, failures with the blocked ranks and their reasons, and settings of frequency and
// servers.
#include "analysis/run/address_sanitizer.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "tests/support/forked.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sys/resource.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// A worker's step: 1 ms forward, 2 ms backward, 0.5 ms update.
Scenario with_compute(int p, Algorithm algorithm) {
  Scenario s = star(p, 1'000'000, algorithm);
  s.workload.layers[0].forward = 1e-3;
  s.workload.layers[0].backward = 2e-3;
  s.workload.update = 5e-4;
  return s;
}

} // namespace

TEST_CASE("a deadlock fails and names the ranks and what they wait for") {
  // Possible only without validation: with a bound below 0, the server answers no worker.
  Scenario s = star(4, 1000, Algorithm::parameter_server);
  training(s).exchange.consistency = Consistency::bounded_staleness;
  training(s).exchange.staleness_bound = -1;
  training(s).iterations = 2;
  for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid}) {
    const ForkedRun o = run(s, engine);
    REQUIRE(o.failed);
    REQUIRE(o.message.find("deadlock") != std::string::npos);
    REQUIRE(!o.blocked.empty());
    REQUIRE(o.blocked.size() == 9); // two streams of each of four workers, and the server's stream
    REQUIRE(o.blocked[0].stream == "compute");
    REQUIRE(o.blocked[0].waiting_for == "exchange 1 of its communication stream 0");
    REQUIRE(o.blocked[1].waiting_for == "a message from rank 4 (bucket 0 of iteration 0, step 1)");
    REQUIRE(o.blocked[8].rank == 4);
    REQUIRE(o.blocked[8].waiting_for == "a request from any rank");
  }
}

TEST_CASE("a run past its time limit fails and says what was going on") {
  Scenario s = star(4, 1'000'000, Algorithm::ring);
  s.limits.simulated_time = Seconds(1e-3);
  const ForkedRun o = run(s);
  REQUIRE(o.failed);
  REQUIRE(o.message.find("limits.simulated_time") != std::string::npos);
  REQUIRE(o.blocked.size() == 8); // a compute and a communication stream per rank
  s.limits.simulated_time = Seconds(1);
  REQUIRE(!run(s).failed);
}

TEST_CASE("results repeat to the last bit") {
  Scenario s = with_compute(6, Algorithm::parameter_server);
  s.platform.node_overrides.push_back({});
  s.platform.node_overrides[0].nodes = {2};
  s.platform.node_overrides[0].compute_speed = 0.7;
  training(s).exchange.servers = 2;
  training(s).iterations = 3;
  const ForkedRun a = run(s), b = run(s);
  REQUIRE(a.time == b.time);
  REQUIRE(a.path == b.path);
  REQUIRE(a.link_busy == b.link_busy);
}

TEST_CASE("the parts of the critical path sum to the time") {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::parameter_server, Algorithm::gtopk}) {
    Scenario s = with_compute(5, algorithm);
    training(s).iterations = 3;
    const ForkedRun o = run(s);
    REQUIRE(sum(o.path) == Approx(o.time).epsilon(1e-12));
    REQUIRE(sum(o.iteration_path) == Approx(o.iteration_time).epsilon(1e-12));
  }
}

TEST_CASE("compute, communication and exposed communication of a step") {
  // Two messages of 2 MB in one direction: alpha 10 us, 1.6 ms; gamma 0.2 ms.
  Scenario s = with_compute(2, Algorithm::ring);
  const ForkedRun none = run(s);
  REQUIRE(none.compute_time == Approx(3.5e-3).epsilon(1e-12));
  REQUIRE(none.communication_time == Approx(2 * (1e-5 + 1.6e-3)).epsilon(1e-12));
  REQUIRE(none.exposed == Approx(none.communication_time).epsilon(1e-12));
  REQUIRE(none.iteration_time == none.time);

  training(s).overlap = {OverlapKind::pipelined, 2};
  training(s).iterations = 10;
  const ForkedRun pipelined = run(s);
  REQUIRE(pipelined.iteration_time == Approx(3.5e-3).epsilon(1e-9)); // compute is the limit
  REQUIRE(pipelined.exposed < none.exposed);
}

TEST_CASE("no part of a step of a filling pipeline is negative") {
  // 60 ms of compute, 100.02 ms of exchange. The first update ends three passes, the second one pass and two exchanges.
  Scenario s = star(2, 31250000, Algorithm::ring, 1e30);
  s.workload.layers.front().forward = 0.02;
  s.workload.layers.front().backward = 0.04;
  training(s).overlap = {OverlapKind::pipelined, 3};
  training(s).iterations = 5;
  const ForkedRun filling = run(s);
  REQUIRE(filling.ends[1] == Approx(0.06 + 2 * 0.10002).epsilon(1e-9));
  REQUIRE(*std::ranges::min_element(filling.iteration_path) >= 0);
  REQUIRE(sum(filling.iteration_path) == Approx(filling.iteration_time).epsilon(1e-12));
  REQUIRE(at(filling.iteration_path, Part::compute) / filling.iteration_time ==
          Approx(0.06 / filling.ends[1]).epsilon(1e-9));
}

TEST_CASE("local steps exchange in every k-th iteration only") {
  Scenario s = with_compute(4, Algorithm::ring);
  training(s).iterations = 7;
  const ForkedRun all = run(s);
  training(s).every = 3;
  const ForkedRun local = run(s);
  REQUIRE(all.messages == 7 * 24);
  REQUIRE(local.messages == 2 * 24);
  REQUIRE(local.ends.size() == 7);
  REQUIRE(local.ends[0] == Approx(3.5e-3));
}

TEST_CASE("a straggler holds a synchronous server up, but not one with a backup worker") {
  Scenario s = with_compute(4, Algorithm::parameter_server);
  s.platform.node_overrides.push_back({});
  s.platform.node_overrides[0].nodes = {3};
  s.platform.node_overrides[0].compute_speed = 0.1;
  training(s).iterations = 4;
  const ForkedRun waiting = run(s);
  training(s).exchange.backup_workers = 1;
  const ForkedRun backup = run(s);
  REQUIRE(backup.time < 0.7 * waiting.time);
  REQUIRE(waiting.dropped == 0);
  REQUIRE(backup.dropped == 4); // of each step, also of the last one, which the straggler does not reach before the end
  training(s).exchange.servers = 2;
  REQUIRE(run(s).dropped == 8);
}

TEST_CASE("a phase with backup workers is followed by the next") {
  for (const EngineKind engine : {EngineKind::hybrid, EngineKind::simgrid}) {
    Scenario s = with_compute(3, Algorithm::parameter_server);
    training(s).exchange.backup_workers = 1;
    training(s).iterations = 3;
    s.phases.push_back({"ring", {}});
    const ForkedRun o = run(s, engine);
    REQUIRE(!o.failed);
    REQUIRE(o.ends.size() == 4);
    REQUIRE(o.dropped == 3);
  }
}

TEST_CASE("an asynchronous server answers while earlier answers are under way") {
  // Two equal workers push n at the same time: both arrive at alpha + 2 n beta, and both answers share the way back.
  Scenario s = star(2, 1'000'000, Algorithm::parameter_server);
  training(s).exchange.consistency = Consistency::asynchronous;
  REQUIRE(run(s).time == Approx(2 * (1e-5 + 2 * 4e6 / 1.25e9)).epsilon(1e-12));
}

TEST_CASE("bounded staleness lies between synchronous and asynchronous") {
  Scenario s = with_compute(4, Algorithm::parameter_server);
  for (int node = 0; node < 4; ++node) {
    s.platform.node_overrides.push_back({});
    s.platform.node_overrides.back().nodes = {node};
    s.platform.node_overrides.back().compute_speed = 1 + 0.3 * node;
  }
  training(s).iterations = 8;
  ExchangeSpec& x = training(s).exchange;
  x.consistency = Consistency::bounded_staleness;
  double last = 1e9;
  for (const int bound : {0, 1, 3, 100}) {
    x.staleness_bound = bound;
    const ForkedRun o = run(s);
    REQUIRE(o.messages == 8 * 4 * 2);
    REQUIRE(o.time <= last * (1 + 1e-3));
    last = o.time;
  }
  x.consistency = Consistency::asynchronous;
  REQUIRE(run(s).time == Approx(last).epsilon(1e-12));
}

TEST_CASE("pull at first use hides the pull behind the next forward pass") {
  Scenario s = star(3, 1, Algorithm::parameter_server);
  s.workload.layers.clear();
  for (int l = 0; l < 6; ++l) s.workload.layers.push_back({"l", 2e-3, 2e-3, {{"t", 200'000}}});
  training(s).granularity.kind = Granularity::Kind::tensor;
  training(s).overlap.kind = OverlapKind::layerwise;
  training(s).iterations = 5;
  const ForkedRun once = run(s);
  training(s).exchange.pull_at = PullAt::first_use;
  const ForkedRun first_use = run(s);
  REQUIRE(first_use.messages == once.messages);
  REQUIRE(first_use.iteration_time < 0.9 * once.iteration_time);
}

TEST_CASE("one rank alone exchanges nothing, and a server on the worker's own place costs nothing") {
  const ForkedRun ring = run(with_compute(1, Algorithm::ring));
  REQUIRE(ring.messages == 0);
  REQUIRE(ring.time == Approx(3.5e-3).epsilon(1e-12));
  Scenario s = with_compute(1, Algorithm::parameter_server);
  training(s).exchange.colocated = true;
  const ForkedRun colocated = run(s);
  REQUIRE(colocated.messages == 0);
  REQUIRE(colocated.time == Approx(3.5e-3).epsilon(1e-12));
}

#ifndef GF_ADDRESS_SANITIZER // it keeps freed memory for some time
TEST_CASE("memory does not grow with iterations that take no time") {
  Scenario s = star(1, 1000, Algorithm::ring);
  training(s).iterations = 200'000;
  run(s, EngineKind::hybrid); // excludes memory that the first run loads and keeps, and the iterations in its result
  training(s).iterations = 2'000'000;
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  const ForkedRun o = run(s, EngineKind::hybrid);
  getrusage(RUSAGE_SELF, &after);
  CHECK(o.time == 0);
  CHECK(after.ru_maxrss - before.ru_maxrss < 8 * 1024); // KiB
}
#endif

TEST_CASE("several streams overlap collectives that one stream runs in order") {
  Scenario s = star(4, 1, Algorithm::ring);
  s.platform.network.link.latency = Seconds(1e-3); // alpha is significant, so overlap is useful
  s.workload.layers[0].tensors = {{"a", 1000}, {"b", 1000}, {"c", 1000}};
  training(s).granularity.kind = Granularity::Kind::tensor;
  const ForkedRun one = run(s);
  training(s).streams = 3;
  const ForkedRun three = run(s);
  REQUIRE(three.time < 0.4 * one.time);
}

TEST_CASE("a cost on the GPU delays the next layer, one on the PCIe bus does not") {
  Scenario s = with_compute(2, Algorithm::ring);
  s.workload.layers.push_back({"second", 1e-3, 2e-3, {{"h", 1'000'000}}});
  training(s).granularity.kind = Granularity::Kind::tensor;
  training(s).overlap.kind = OverlapKind::layerwise;
  training(s).costs.push_back({"copy", CostHook::before_exchange, CostResource::gpu, {}, {}, {}, {}, Seconds(1e-3)});
  const ForkedRun gpu = run(s);
  training(s).costs[0].on = CostResource::pcie;
  const ForkedRun pcie = run(s);
  REQUIRE(gpu.time > pcie.time);
}

TEST_CASE("a timeline names what it records, phase by phase") {
  Scenario s = with_compute(2, Algorithm::ring);
  training(s).costs.push_back({"copy", CostHook::before_exchange, CostResource::pcie, {}, {}, {}, {}, Seconds(1e-3)});
  s.phases.push_back({"servers", {}});
  s.phases[1].training.exchange.algorithm = Algorithm::parameter_server;
  s.phases[1].training.granularity.kind = Granularity::Kind::tensor;
  const Platform platform = build_platform(s.platform, extra_nodes(s));
  Timeline t;
  SimulateOptions options;
  options.timeline = &t;
  const RunResult r = simulate(s, platform, options);
  CHECK(t.rank_names ==
        std::vector<std::string>{"rank 0 (node 0 GPU 0)", "rank 1 (node 1 GPU 0)", "server, rank 2 (node 2)"});
  CHECK(t.bucket_names == std::vector<std::string>{"model", "g"});
  CHECK(t.cost_names == std::vector<std::string>{"copy"});
  CHECK(static_cast<std::int64_t>(t.transfers.size()) == r.messages);
  CHECK(t.links.size() == 4 * t.transfers.size());
  CHECK(t.link_names.size() == platform.links().size());
  for (const Transfer& transfer : t.transfers) {
    CHECK(transfer.bucket == (transfer.from == 2 || transfer.to == 2 ? 1 : 0));
    CHECK(transfer.end > transfer.begin);
  }
}
