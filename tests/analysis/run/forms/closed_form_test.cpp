#include "analysis/run/forms/closed_form.hpp"
#include "scenarios/language/types/scenario.hpp"

#include "models/schedules/parts/collective.hpp"
#include "sim/simulate.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace gradflight;

namespace {

constexpr double bandwidth = 1.25e9, latency = 5e-6, reduce_rate = 5e9;
constexpr double alpha = 2 * latency, beta = 1 / bandwidth, gamma_ = 1 / reduce_rate;

/// A star of `nodes` nodes that exchange one tensor once, after a forward and a backward pass.
Scenario layer_on_star(int nodes, std::int64_t elements, Algorithm algorithm = Algorithm::ring) {
  Scenario s;
  s.platform.nodes = nodes;
  s.platform.network.link.bandwidth = ByteRate(bandwidth);
  s.platform.network.link.latency = Seconds(latency);
  s.platform.reduce_bandwidth = ByteRate(reduce_rate);
  s.workload.layers = {{"layer", 1e-3, 2e-3, {{"tensor", elements}}}};
  s.workload.update = 5e-4;
  Phase phase;
  phase.name = "main";
  phase.training.exchange.algorithm = algorithm;
  s.phases = {phase};
  return s;
}

TrainingSpec& training_of(Scenario& s) { return s.phases.front().training; }

ClosedForm form_of(const Scenario& s) {
  const Platform platform = build_platform(s.platform, extra_nodes(s));
  const ClosedFormAnswer answer = closed_form(s, platform);
  REQUIRE(answer.form);
  const FormTerms& t = answer.form->terms;
  CHECK(t.alpha + t.beta + t.gamma + t.compute + t.other == Approx(t.time).epsilon(1e-12));
  return *answer.form;
}

std::vector<std::string> failed(const ClosedForm& form) {
  std::vector<std::string> texts;
  for (const Assumption& a : form.failed()) texts.push_back(a.text);
  return texts;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("a ring's terms", "[analysis][closed-form]") {
  const double n = 4e6;
  const ClosedForm form = form_of(layer_on_star(8, 1'000'000));
  CHECK(form.name == "ring_allreduce");
  CHECK(form.all_hold());
  CHECK(form.cause().empty());
  CHECK(form.terms.alpha == Approx(14 * alpha));
  CHECK(form.terms.beta == Approx(2 * 7.0 / 8 * n * beta));
  CHECK(form.terms.gamma == Approx(7.0 / 8 * n * gamma_));
  CHECK(form.terms.compute == Approx(3.5e-3));
  CHECK_FALSE(form.paper);
}

TEST_CASE("one rank computes and exchanges nothing", "[analysis][closed-form]") {
  for (const Algorithm algorithm : algorithms()) {
    if (has_servers({algorithm})) continue; // a server is a separate node
    const ClosedForm form = form_of(layer_on_star(1, 1000, algorithm));
    CHECK(form.all_hold());
    CHECK(form.terms.time == Approx(3.5e-3));
  }
}

TEST_CASE("names of the forms", "[analysis][closed-form]") {
  Scenario s = layer_on_star(4, 1000);
  const auto name = [&](Algorithm algorithm) {
    training_of(s).exchange.algorithm = algorithm;
    return form_of(s).name;
  };
  CHECK(name(Algorithm::recursive_doubling) == "recursive_doubling_allreduce");
  CHECK(name(Algorithm::halving_doubling) == "halving_doubling_allreduce");
  CHECK(name(Algorithm::binomial_tree) == "binomial_tree_allreduce");
  CHECK(name(Algorithm::hierarchical) == "hierarchical_allreduce");
  CHECK(name(Algorithm::topk_allgather) == "topk_allgather");
  training_of(s).exchange.all_gather = AllGather::ring;
  CHECK(name(Algorithm::topk_allgather) == "topk_allgather_ring");
  CHECK(name(Algorithm::gtopk) == "gtopk_allreduce");
  CHECK(name(Algorithm::parameter_server) == "parameter_server_flat");
  training_of(s).exchange.pull = Pull::binomial;
  CHECK(name(Algorithm::parameter_server) == "parameter_server_binomial");
  training_of(s).overlap.kind = OverlapKind::layerwise;
  CHECK(name(Algorithm::ring) == "ring_allreduce+layerwise");
  training_of(s).overlap = {OverlapKind::pipelined, 2};
  training_of(s).exchange.pieces = 5;
  CHECK(name(Algorithm::ring) == "ring_allreduce_pipelined+pipelined");
}

TEST_CASE("each failed assumption alone is the cause", "[analysis][closed-form]") {
  Scenario s = layer_on_star(8, 1'000'000);
  training_of(s).iterations = 2;
  REQUIRE(form_of(s).all_hold());
  SECTION("a slow link") {
    NodeOverride slow;
    slow.nodes = {3};
    slow.bandwidth = ByteRate(bandwidth / 10);
    s.platform.node_overrides = {slow};
    const ClosedForm form = form_of(s);
    CHECK(failed(form) == Texts{"links alike"});
    CHECK(form.cause().find("node 3") != std::string::npos);
    CHECK(form.terms.beta == Approx(10 * 2 * 2 * 7.0 / 8 * 4e6 * beta)); // the slowest link in two iterations
  }
  SECTION("a distant node") {
    NodeOverride far;
    far.nodes = {0};
    far.latency = Seconds(1e-3);
    s.platform.node_overrides = {far};
    CHECK(failed(form_of(s)) == Texts{"links alike"});
  }
  SECTION("a slow GPU") {
    NodeOverride slow;
    slow.nodes = {5};
    slow.compute_speed = 0.5;
    s.platform.node_overrides = {slow};
    const ClosedForm form = form_of(s);
    CHECK(failed(form) == Texts{"all ranks compute equally fast"});
    CHECK(form.terms.compute == Approx(2 * 7e-3));
  }
  SECTION("a slow reducer") {
    NodeOverride slow;
    slow.nodes = {5};
    slow.reduce_bandwidth = ByteRate(reduce_rate / 4);
    s.platform.node_overrides = {slow};
    CHECK(failed(form_of(s)) == Texts{"all ranks reduce equally fast"});
  }
  SECTION("blocks that are not alike") {
    s.workload.layers[0].tensors[0].elements = 1'000'001;
    CHECK(failed(form_of(s)) == Texts{"n divisible by p"});
    training_of(s).iterations = 1; // the path of a largest block is exact if nothing follows
    CHECK(form_of(s).all_hold());
    training_of(s).exchange.algorithm = Algorithm::blocking_ring; // not every turn waits for a largest block
    CHECK(failed(form_of(s)) == Texts{"n divisible by p"});
  }
  SECTION("GPUs of different nodes in turn share their NIC") {
    s.platform.nodes = 4;
    s.platform.gpus_per_node = 2;
    s.placement = Placement::cyclic;
    CHECK(failed(form_of(s)) == Texts{"no link carries two messages at once"});
  }
  SECTION("GPUs of a node that exchange for free beside those that do not") {
    s.platform.nodes = 4;
    s.platform.gpus_per_node = 2;
    CHECK(failed(form_of(s)) == Texts{"links alike"});
  }
  SECTION("two streams") {
    training_of(s).streams = 2;
    CHECK(form_of(s).all_hold()); // only one bucket
    s.workload.layers.push_back({"second", 0, 0, {{"tensor", 8000}}});
    training_of(s).granularity.kind = Granularity::Kind::tensor;
    CHECK(failed(form_of(s)) == Texts{"one communication stream"});
  }
  SECTION("a copy on the GPU beside the backward pass") {
    CostSpec copy;
    copy.name = "copy";
    copy.fixed = Seconds(1e-4);
    training_of(s).costs = {copy};
    CHECK(form_of(s).all_hold());
    CHECK(form_of(s).terms.other == Approx(2e-4));
    training_of(s).overlap.kind = OverlapKind::layerwise;
    CHECK(failed(form_of(s)) == Texts{"no host cost competes with compute"});
  }
}

TEST_CASE("parameter servers", "[analysis][closed-form]") {
  const double n = 4e6;
  Scenario s = layer_on_star(4, 1'000'000, Algorithm::parameter_server);
  SECTION("flat") {
    const ClosedForm form = form_of(s);
    CHECK(form.all_hold());
    CHECK(form.terms.time == Approx(3e-3 + 2 * (alpha + 4 * n * beta) + 3 * n * gamma_ + 5e-4));
  }
  SECTION("more servers than workers leave the worker's link the bottleneck") {
    training_of(s).exchange.servers = 8;
    CHECK(form_of(s).terms.beta == Approx(2 * n * beta));
    CHECK(form_of(s).all_hold());
  }
  SECTION("colocated: the own shard crosses no link") {
    training_of(s).exchange.servers = 4;
    training_of(s).exchange.colocated = true;
    CHECK(form_of(s).terms.beta == Approx(2 * 0.75 * n * beta));
    CHECK(form_of(s).all_hold());
  }
  SECTION("binomial pull, with the paper's form beside") {
    training_of(s).exchange.pull = Pull::binomial;
    const ClosedForm form = form_of(s);
    CHECK(form.all_hold());
    CHECK(form.terms.beta == Approx(7 * n * beta));
    REQUIRE(form.paper);
    CHECK(form.paper->terms.beta == Approx(6 * n * beta));
    CHECK(form.paper->terms.alpha == Approx(3 * alpha));
    training_of(s).iterations = 2;
    CHECK(failed(form_of(s)) == Texts{"p+1 is a power of two, or a single exchange"});
    training_of(s).exchange.servers = 2;
    training_of(s).iterations = 1;
    CHECK(failed(form_of(s)) == Texts{"one server"});
  }
  SECTION("compression of the push leg alone") {
    training_of(s).compression.ratio = 4;
    training_of(s).compression.pull = false;
    CHECK(form_of(s).terms.beta == Approx((1 + 4) * n * beta));
  }
  SECTION("egress shaped as with linux-tc: the push is bound by each worker, the pull by the server's egress") {
    NodeOverride shaped;
    shaped.nodes = {0, 1, 2, 3};
    shaped.egress = ByteRate(bandwidth / 100);
    s.platform.node_overrides = {shaped};
    const ClosedForm form = form_of(s);
    CHECK(form.all_hold());
    CHECK(form.terms.beta == Approx((100 + 4) * n * beta));
  }
  SECTION("one worker with a slow link ends after the others") {
    NodeOverride slow;
    slow.nodes = {2};
    slow.bandwidth = ByteRate(bandwidth / 100);
    s.platform.node_overrides = {slow};
    CHECK(failed(form_of(s)) == Texts{"all pushes share their links evenly and end together",
                                      "all pulls share their links evenly and end together"});
  }
  SECTION("asynchronous: exact where updates take no time") {
    training_of(s).exchange.consistency = Consistency::asynchronous;
    CHECK(failed(form_of(s)) == Texts{"updates take no time, so workers stay in step"});
    s.workload.update = 0;
    CHECK(form_of(s).all_hold());
    CHECK(form_of(s).terms.gamma == 0);
    training_of(s).exchange.pull = Pull::binomial;
    const Platform platform = build_platform(s.platform, extra_nodes(s));
    const ClosedFormAnswer answer = closed_form(s, platform);
    CHECK_FALSE(answer.form);
    CHECK_FALSE(answer.why_none.empty());
  }
  SECTION("backup workers spare reductions") {
    training_of(s).exchange.backup_workers = 1;
    CHECK(form_of(s).terms.gamma == Approx(2 * n * gamma_));
  }
  SECTION("pull at first use") {
    training_of(s).exchange.pull_at = PullAt::first_use;
    CHECK(failed(form_of(s)) == Texts{"parameters are pulled at once"});
  }
}

TEST_CASE("shards that differ matter where something else than the servers' own links binds",
          "[analysis][closed-form]") {
  Scenario s = layer_on_star(4, 1'000'001, Algorithm::parameter_server);
  training_of(s).exchange.servers = 2;
  CHECK(form_of(s).all_hold());
  CHECK(form_of(s).terms.beta == Approx(2 * 4 * (4.0 * 500'001) * beta).epsilon(1e-12));
  training_of(s).exchange.colocated = true;
  CHECK(failed(form_of(s)) == Texts{"n divisible by S"});
}

TEST_CASE("trees and folds over any number of ranks", "[analysis][closed-form]") {
  const double n = 4e6;
  Scenario s = layer_on_star(5, 1'000'000, Algorithm::recursive_doubling);
  training_of(s).iterations = 3;
  CHECK(form_of(s).all_hold());
  CHECK(form_of(s).terms.time == Approx(3 * (3.5e-3 + 4 * (alpha + n * beta) + 3 * n * gamma_)));
  training_of(s).exchange.algorithm = Algorithm::binomial_tree;
  CHECK(form_of(s).all_hold());
  CHECK(form_of(s).terms.time == Approx(3 * (3.5e-3 + 6 * (alpha + n * beta) + 3 * n * gamma_)));
  SECTION("ranks out of step meet on the uplinks of racks") {
    s.platform.network.topology = Topology::racks;
    s.platform.network.racks.nodes_per_rack = 1;
    s.platform.network.racks.oversubscription = 1;
    CHECK(form_of(s).all_hold()); // one node per rack: every link belongs to one node
    s.platform.nodes = 10;
    s.platform.network.racks.nodes_per_rack = 5;
    const Texts causes = failed(form_of(s));
    CHECK(std::find(causes.begin(), causes.end(), "ranks that run ahead share no link with others") != causes.end());
  }
  SECTION("per-message costs move them further apart") {
    CostSpec cost;
    cost.name = "driver";
    cost.at = CostHook::message_send;
    cost.on = CostResource::cpu;
    cost.per_message = Seconds(1e-5);
    training_of(s).costs = {cost};
    CHECK(failed(form_of(s)) == Texts{"per-message costs meet in every step"});
    s.platform.nodes = 8;
    CHECK(form_of(s).all_hold());
    CHECK(form_of(s).terms.other == Approx(3 * 6 * 1e-5));
  }
}

TEST_CASE("sparse exchanges", "[analysis][closed-form]") {
  Scenario s = layer_on_star(8, 1'000'000, Algorithm::gtopk);
  training_of(s).exchange.density = 0.01;
  training_of(s).exchange.merge_bandwidth = ByteRate(1e8);
  const double list = 8 * 10000;
  CHECK(form_of(s).terms.alpha == Approx(6 * alpha));
  CHECK(form_of(s).terms.beta == Approx(6 * list * beta));
  CHECK(form_of(s).terms.other == Approx(3 * list / 1e8));
  CHECK(form_of(s).terms.gamma == 0);
  training_of(s).exchange.algorithm = Algorithm::topk_allgather;
  CHECK(form_of(s).terms.alpha == Approx(3 * alpha));
  CHECK(form_of(s).terms.beta == Approx(7 * list * beta));
  CHECK(form_of(s).terms.other == Approx(7 * list / 1e8));
  training_of(s).exchange.all_gather = AllGather::ring;
  CHECK(form_of(s).terms.alpha == Approx(7 * alpha));
  CHECK(form_of(s).terms.beta == Approx(7 * list * beta));
  CHECK(form_of(s).terms.other == Approx(7 * list / 1e8));
}

TEST_CASE("a hierarchy on two kinds of links", "[analysis][closed-form]") {
  Scenario s = layer_on_star(4, 1'000'000, Algorithm::hierarchical);
  s.platform.gpus_per_node = 4;
  s.platform.intra_node.kind = IntraKind::nvlink;
  s.platform.intra_node.link.bandwidth = ByteRate(25e9);
  s.platform.intra_node.link.latency = Seconds(1e-6);
  training_of(s).exchange.levels = {{4, GroupReduce::ring, GroupBroadcast::binomial, false}};
  const ClosedForm form = form_of(s);
  CHECK(form.all_hold());
  const double n = 4e6, inner = 1 / 25e9;
  const double outer_beta = 2 * 0.75 * n * beta, ring_beta = 0.75 * n * inner, broadcast_beta = 2 * n * inner;
  // Three NVLinks lead to the master, with one block each.
  CHECK(form.terms.beta == Approx(outer_beta + ring_beta + n / 4 * inner + broadcast_beta));
  CHECK(form.terms.gamma == Approx(2 * 0.75 * n * gamma_));
  training_of(s).exchange.levels[0].group_size = 3;
  CHECK_FALSE(form_of(s).all_hold());
}

TEST_CASE("layers, phases and pipelines", "[analysis][closed-form]") {
  Scenario s = layer_on_star(4, 1000);
  s.workload.layers = {{"first", 1e-3, 2e-3, {{"a", 1'000'000}}}, {"second", 1e-3, 2e-3, {{"b", 1'000'000}}}};
  training_of(s).granularity.kind = Granularity::Kind::tensor;
  training_of(s).overlap.kind = OverlapKind::layerwise;
  training_of(s).iterations = 3;
  const double c = 6 * alpha + 1.5 * 4e6 * beta + 0.75 * 4e6 * gamma_;
  SECTION("the last layer's gradients set off while the first's are computed") {
    REQUIRE(c > 2e-3); // the second exchange waits for the first
    CHECK(form_of(s).terms.time == Approx(3 * (4e-3 + 2 * c + 5e-4)));
    training_of(s).accumulation = 2;
    CHECK(form_of(s).terms.time == Approx(3 * (6e-3 + 4e-3 + 2 * c + 5e-4)));
  }
  SECTION("a phase follows another, and says where it fails") {
    Phase warm_up = s.phases.front();
    warm_up.name = "warm-up";
    warm_up.training.streams = 2;
    warm_up.training.overlap.kind = OverlapKind::none;
    s.phases.insert(s.phases.begin(), warm_up);
    const ClosedForm form = form_of(s);
    CHECK(form.terms.time == Approx(3 * (4e-3 + 2 * c + 5e-4) + 3 * (6e-3 + 2 * c + 5e-4)));
    CHECK(form.cause().find("warm-up") != std::string::npos);
  }
  SECTION("K = 2 hides the shorter of compute and communication; the paper counts neither fill nor drain") {
    training_of(s).granularity.kind = Granularity::Kind::model;
    training_of(s).overlap = {OverlapKind::pipelined, 2};
    training_of(s).iterations = 100;
    const double exchange = 6 * alpha + 1.5 * 8e6 * beta + 0.75 * 8e6 * gamma_;
    const double step = std::max(6e-3 + 5e-4, exchange);
    const ClosedForm form = form_of(s);
    CHECK(form.terms.time == Approx(100 * step).epsilon(0.02));
    REQUIRE(form.paper);
    CHECK(form.paper->terms.time == Approx(100 * step));
    CHECK(form.terms.time > form.paper->terms.time);
  }
}

TEST_CASE("a million ranks are surveyed in time", "[analysis][closed-form]") {
  const ClosedForm form = form_of(layer_on_star(1'000'000, 1'000'000));
  CHECK(form.all_hold());
  CHECK(form.terms.alpha == Approx(2 * 999'999.0 * alpha));
}

TEST_CASE("a form whose time no double holds is none", "[analysis][closed-form]") {
  Scenario s = layer_on_star(8, 1'000'000);
  s.platform.message_overhead = Seconds(1.7e308);
  const ClosedFormAnswer answer = closed_form(s, build_platform(s.platform, extra_nodes(s)));
  CHECK_FALSE(answer.form);
  CHECK_THAT(answer.why_none, Catch::StartsWith("no closed form: its time exceeds"));
}

TEST_CASE("a route without a link is not told as one of infinite bandwidth", "[analysis][closed-form]") {
  Scenario s = layer_on_star(2, 1'000'000);
  s.platform.gpus_per_node = 2;
  const auto assumptions = form_of(s).assumptions;
  CHECK(std::ranges::any_of(assumptions,
                            [](const Assumption& a) { return a.detail.find("no link") != std::string::npos; }));
  CHECK(
      std::ranges::none_of(assumptions, [](const Assumption& a) { return a.detail.find("inf") != std::string::npos; }));
}
