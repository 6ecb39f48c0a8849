// The bounds of a step in cases with known results, and memory according to its formula.
#include "analysis/run/evaluate.hpp"
#include "analysis/run/result/memory.hpp"
#include "analysis/run/result/notes.hpp"
#include "analysis/run/result/uneven_steps.hpp"
#include "analysis/run/result/verdict.hpp"
#include "tests/support/forked.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

using namespace gradflight;
using gradflight::test::star;
using gradflight::test::training;

namespace {

std::vector<Bound> bounds_found(const Scenario& s) {
  const auto o = evaluate(Prepared(s));
  auto bounds = bound_by(s, o.result);
  double all = 0;
  for (const Bound& b : bounds) all += b.share;
  CHECK(all == Approx(1).epsilon(1e-12));
  return bounds;
}

double share_found(const Scenario& s, Bounding what) {
  for (const Bound& b : bounds_found(s))
    if (b.what == what) return b.share;
  return 0;
}

} // namespace

TEST_CASE("a ring's verdict is its closed form's parts") {
  Scenario s = star(8, 1 << 20, Algorithm::ring);
  s.platform.reduce_bandwidth = ByteRate(1e10);
  const auto o = evaluate(Prepared(s));
  const auto& terms = o.form.form->terms;
  CHECK(share_found(s, Bounding::nic) == Approx(terms.beta / terms.time).epsilon(1e-9));
  CHECK(share_found(s, Bounding::latency) == Approx(terms.alpha / terms.time).epsilon(1e-9));
  CHECK(share_found(s, Bounding::reducer) == Approx(terms.gamma / terms.time).epsilon(1e-9));
}

TEST_CASE("workers that crowd a server are held up by its cable alone") {
  Scenario s = star(8, 1 << 20, Algorithm::parameter_server);
  s.platform.network.link.latency = Seconds(0);
  s.platform.reduce_bandwidth.reset();
  // 8 pushes and 8 pulls share the server's cable. A NIC has an eighth of its rate, so it holds nothing up.
  CHECK(share_found(s, Bounding::server) == Approx(1).epsilon(1e-6));
  CHECK(share_found(s, Bounding::nic) == 0);
}

TEST_CASE("a slow node's extra time is a straggler's, whatever the others do") {
  Scenario s = star(4, 1, Algorithm::ring);
  s.workload.layers.front().forward = 1;
  s.workload.layers.front().backward = 2;
  NodeOverride slow;
  slow.nodes = {2};
  slow.compute_speed = 0.25;
  s.platform.node_overrides.push_back(slow);
  CHECK(share_found(s, Bounding::straggler) == Approx(0.75).epsilon(1e-3));
  CHECK(share_found(s, Bounding::compute) == Approx(0.25).epsilon(1e-3));
}

TEST_CASE("uplinks as fast as NICs share what crosses them: narrower ones bound alone: wider ones not at all") {
  Scenario s = star(8, 1 << 22, Algorithm::ring);
  s.platform.network.link.latency = Seconds(0);
  s.platform.reduce_bandwidth.reset();
  s.platform.network.topology = Topology::racks;
  s.platform.network.racks = {4, 4, {}};
  // Two of the ring's eight hops lead out of a rack, with equal delays by NIC and uplink. So all 14 messages of a path
  // do, too.
  CHECK(share_found(s, Bounding::uplink) == Approx(0.5).epsilon(1e-6));
  CHECK(share_found(s, Bounding::nic) == Approx(0.5).epsilon(1e-6));
  s.platform.network.racks.oversubscription = 16;
  CHECK(share_found(s, Bounding::uplink) > 0.9);
  s.platform.network.racks.oversubscription = 1;
  CHECK(share_found(s, Bounding::uplink) == 0);
  const auto text = verdict_text({{Bounding::nic, 0.5}, {Bounding::uplink, 0.5}}, 2);
  CHECK(text == "The NICs and the uplinks bound the step: 50.0 % of 2 s each.");
}

TEST_CASE("what links of a tier count for, and what it is called") {
  Scenario s = star(8, 1, Algorithm::parameter_server);
  CHECK(bounding_of(LinkTier::server, s) == Bounding::server);
  training(s).exchange.algorithm = Algorithm::ring;
  CHECK(bounding_of(LinkTier::server, s) == Bounding::nic);
  CHECK(bounding_of(LinkTier::nic, s) == Bounding::nic);
  CHECK(bounding_of(LinkTier::network, s) == Bounding::uplink);
  CHECK(bounding_of(LinkTier::pcie, s) == Bounding::pcie);
  CHECK(std::string(bounding_name(Bounding::pcie)) == "intra_node");
  CHECK(std::string(bounding_name(Bounding::intra_node)) == "intra_node");
  CHECK(bound_noun(Bounding::uplink, s.platform) == "the uplinks");
  s.platform.network.topology = Topology::torus;
  CHECK(bound_noun(Bounding::uplink, s.platform) == "links between nodes");
  s.platform.network.topology = Topology::graph;
  s.platform.network.edges = {{"0", "a"}, {"1", "b"}, {"a", "b"}};
  CHECK(bound_noun(Bounding::uplink, s.platform) == "links between switches");
  s.platform.network.edges.push_back({"0", "1"});
  CHECK(bound_noun(Bounding::uplink, s.platform) == "links between nodes or switches");
  s.platform.network.edges.erase(s.platform.network.edges.begin() + 2);
  CHECK(bound_noun(Bounding::uplink, s.platform) == "links between nodes");
}

TEST_CASE("what a library's ranks copy is not called a reduction") {
  PlatformSpec spec;
  Path path{};
  at(path, Part::gamma) = 1;
  const auto name = [&](bool copies) {
    return bound_by(spec, {path, HeldBy{}, PathDetails{}}, true, copies).front().noun();
  };
  CHECK(name(false) == "reduction");
  CHECK(name(true) == "copying");
  spec.reduce_bandwidth = ByteRate(1e10);
  CHECK(name(true) == "reduction and copying");
  spec.reduce_bandwidth.reset();
  spec.node_overrides.emplace_back().reduce_bandwidth = ByteRate(1e10);
  CHECK(name(true) == "reduction and copying");
}

TEST_CASE("memory follows ZeRO's formulas, and is held against the GPU's") {
  Scenario s = star(4, 1'000'000'000, Algorithm::ring);
  s.workload.gpu = "V100";
  CHECK(memory_per_gpu(s).bytes == 16e9);
  CHECK_FALSE(memory_per_gpu(s).too_much());
  s.workload.layers.front().tensors.front().elements = 10'000'000'000;
  CHECK(memory_per_gpu(s).too_much());
  CHECK(find_notes(s, {}).back().warning);
  ExchangeSpec& exchange = s.phases.back().training.exchange;
  exchange.algorithm = Algorithm::sharded;
  const std::vector<std::pair<int, double>> stages = {{1, 4 + 12.0 / 4}, {2, 2 + 14.0 / 4}, {3, 16.0 / 4}};
  for (const auto& [stage, bytes] : stages) {
    exchange.sharded.stage = stage;
    CHECK(memory_per_gpu(s).bytes_per_parameter == Approx(bytes));
  }
  exchange.sharded.group_size = 2;
  CHECK(memory_per_gpu(s).bytes_per_parameter == Approx(8));
}

TEST_CASE("gradients that are scattered beside the next mini-batch's passes do overlap") {
  Scenario s = star(4, 1'000'000, Algorithm::sharded);
  s.workload.layers.front().backward = 0.01;
  TrainingSpec& own = s.phases.back().training;
  own.overlap.kind = OverlapKind::layerwise;
  own.accumulation = 3;
  const auto warns = [&](int stage, bool no_sync) {
    own.exchange.sharded.stage = stage;
    own.exchange.sharded.no_sync = no_sync;
    return std::ranges::any_of(find_notes(s, {}), [](const Note& n) { return n.text.starts_with("one bucket holds"); });
  };
  CHECK(warns(1, false));
  CHECK_FALSE(warns(2, false));
  CHECK(warns(2, true));
}

TEST_CASE("memory counts whole weights and gradients where they stay, and Adam's state where it is") {
  Scenario s = star(4, 1'000'000'000, Algorithm::sharded);
  TrainingSpec& own = s.phases.back().training;
  ShardedSpec& sharded = own.exchange.sharded; // stage 3: 2/4 + 2/4 + 12/4
  sharded.reshard_after_forward = false;
  CHECK(memory_per_gpu(s).bytes_per_parameter == Approx(2 + 2.0 / 4 + 12.0 / 4));
  sharded.reshard_after_forward = true;
  sharded.no_sync = true;
  CHECK(memory_per_gpu(s).bytes_per_parameter == Approx(4)); // nothing accumulates
  own.accumulation = 2;
  CHECK(memory_per_gpu(s).bytes_per_parameter == Approx(2.0 / 4 + 2 + 12.0 / 4));
  sharded.stage = 2;
  CHECK(memory_per_gpu(s).bytes_per_parameter == Approx(2 + 2 + 12.0 / 4));
  own.exchange.algorithm = Algorithm::parameter_server;
  CHECK(memory_per_gpu(s).bytes_per_parameter == Approx(4));
}

TEST_CASE("servers that crowd a node are told where dealing them to the nodes in turn would spread them") {
  Scenario s = star(4, 1'000'000, Algorithm::parameter_server);
  s.platform.gpus_per_node = 4;
  ExchangeSpec& exchange = training(s).exchange;
  exchange.colocated = true;
  const auto warns = [&](int servers) {
    exchange.servers = servers;
    const auto notes = find_notes(s, {});
    return std::ranges::any_of(notes, [](const Note& note) { return note.text.find("cyclic") != std::string::npos; });
  };
  CHECK_FALSE(warns(1));
  for (const int servers : {2, 3, 4, 6, 8, 12}) CHECK(warns(servers));
  for (const int servers : {13, 16}) CHECK_FALSE(warns(servers)); // four on a node in both cases
}

TEST_CASE("a step of a pipeline that fills is not called steady") {
  // 60 ms of compute, 100.02 ms of exchange, three iterations in flight. Updates come after 180 ms (three passes), 260
  // ms (one pass and two exchanges) and then every 100 ms. The last three drain the pipeline.
  Scenario s = star(2, 31250000, Algorithm::ring, 1e30);
  s.workload.layers.front().forward = 0.02;
  s.workload.layers.front().backward = 0.04;
  training(s).overlap = {OverlapKind::pipelined, 3};
  const auto full_with = [&](int iterations, double expected) {
    training(s).iterations = iterations;
    const auto o = evaluate(Prepared(s));
    CHECK(o.result.iteration_time == Approx(expected).epsilon(1e-3));
    const bool full = pipeline_is_full(s, o.result);
    CHECK(full != std::ranges::any_of(o.notes, [](const Note& n) { return n.text.starts_with("the pipeline of 3"); }));
    return full;
  };
  CHECK_FALSE(full_with(4, 0.115)); // the mean of all, 460 ms / 4
  CHECK_FALSE(full_with(5, 0.08));
  CHECK(full_with(6, 0.1));
  s.workload.layers.front().forward = 0.26; // now compute takes longest, and each step is steady
  CHECK(full_with(5, 0.3));
  training(s).overlap = {OverlapKind::none, 1};
  CHECK(full_with(2, 0.4));
}

TEST_CASE("a long pipeline with jitter is not taken for one that fills") {
  Scenario s = star(2, 31250000, Algorithm::ring, 1e30);
  s.workload.layers.front().forward = 0.03;
  s.workload.layers.front().backward = 0.06; // exchanges of 100 ms set the pace, or a slow pass
  training(s).overlap = {OverlapKind::pipelined, 3};
  training(s).iterations = 60;
  s.platform.jitter.emplace();
  s.platform.jitter->cv = 0.3;
  for (s.platform.jitter->seed = 1; s.platform.jitter->seed <= 40; ++s.platform.jitter->seed)
    CHECK(pipeline_is_full(s, evaluate(Prepared(s)).result));
}
