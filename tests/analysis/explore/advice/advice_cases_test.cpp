// Offers of advice: each removes all limits of the bounding resource, and each can be accepted.
#include "analysis/run/evaluate.hpp"
#include "source_dir.hpp"
#include "tests/analysis/explore/advice/advice_cases.hpp"
#include "tests/support/random_scenario.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

const std::string star = R"({ "nodes": 4, "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } })";
const std::string two_level =
    R"({ "nodes": 4, "gpus_per_node": 2, "intra_node": { "kind": "pcie", "link": { "bandwidth": "12GB/s", "latency": "1us" } },
  "network": { "topology": "star", "link": { "bandwidth": "100Gbps", "latency": "5us" } })";

/// Returns the best single change that keeps the gradients exact.
const Tried& best_alone(const Advice& advice) {
  for (const Tried& t : advice.tried)
    if (t.what.kind == WhatIfKind::hardware || t.what.kind == WhatIfKind::setting) return t;
  throw std::logic_error("nothing was tried");
}

} // namespace

TEST_CASE("a cable that overrides or changes make slower is repaired first") {
  for (const auto& [more, changes, name] : std::vector<std::array<std::string, 3>>{
           {R"(, "overrides": [{ "nodes": 2, "bandwidth": "1Gbps" }] })", "", "node 2's cable like the others"},
           {"}", R"(, "changes": [{ "at": "0s", "nic": "node2", "bandwidth": "1Gbps" }])",
            "node 2's cable like the others"}}) {
    const Advice advice = advice_on(source_of(two_level + more, R"({ "algorithm": "ring" })", changes, "400MB"));
    INFO(name);
    CHECK(advice.step.bounds.front().what == Bounding::nic);
    CHECK(best_alone(advice).what.change == name);
    CHECK(best_alone(advice).gain > 0.9);
    CHECK(gain_of(advice, "unlimited NICs") > 0.9 * advice.step.bounds.front().share);
    if (!changes.empty()) CHECK(gain_of(advice, "without the changes") > 0.9);
  }
}

TEST_CASE("what is unlimited is so whatever limits it: shaped directions, a NIC's total, overrides") {
  const std::string plain = R"("link": { "bandwidth": "10Gbps" } })";
  const std::string shaped = R"({ "nodes": 4, "network": { "topology": "star",
    "link": { "bandwidth": "10Gbps", "egress_bandwidth": "1Gbps", "ingress_bandwidth": "2Gbps" } } })";
  CHECK(gain_of(advice_on(source_of(shaped)), "unlimited NICs") > 0.99);
  const std::string entries = star + R"(, "overrides": [ { "nodes": 1, "egress_bandwidth": "1Gbps" },
    { "link": "node3.down", "bandwidth": "500Mbps" } ] })";
  const Advice advice = advice_on(source_of(entries));
  CHECK(gain_of(advice, "unlimited NICs") > 0.99);
  CHECK(gain_of(advice, "the link node3.down like the others") > 0.4);
}

TEST_CASE("stragglers and compute are lifted from changes, too, and other traffic can be left out") {
  const ScenarioSource slowed{"slow.json", R"({ "platform": { "nodes": 4, "network": { "topology": "star",
      "link": { "bandwidth": "10Gbps" } }, "overrides": [{ "nodes": 3, "compute_speed": 0.5 }] },
    "workload": { "layers": [ { "forward": "100ms", "backward": "200ms", "tensors": [ { "bytes": "1MB" } ] } ] },
    "training": { "exchange": { "algorithm": "ring" } },
    "changes": [{ "at": "0s", "nodes": 2, "compute_speed": 0.25 }] })"};
  const Advice slow = advice_on(slowed);
  // The time of the median rank and the additional time of the slowest ranks are two shares; both are removed.
  REQUIRE(slow.step.bounds.size() > 2);
  CHECK(slow.step.bounds[0].what == Bounding::straggler);
  CHECK(slow.step.bounds[1].what == Bounding::compute);
  CHECK(gain_of(slow, "compute in no time, stragglers too") ==
        Approx(slow.step.bounds[0].share + slow.step.bounds[1].share).epsilon(1e-5));
  CHECK(find(slow, "compute in no time") == nullptr);
  CHECK(gain_of(slow, "no stragglers") == Approx(0.75).epsilon(0.01));
  const Advice beside = advice_on(source_of(star + "}", R"({ "algorithm": "ring" })",
                                            R"(, "traffic": [{ "name": "backup", "from": 0, "to": 1 }])"));
  CHECK(gain_of(beside, "without the other traffic") == Approx(0.5).epsilon(1e-6));
  REQUIRE(beside.step.bounds.size() == 2); // half of the time each
  CHECK(beside.step.bounds.back().name == "other traffic");
}

TEST_CASE("NICs are offered only where there are any") {
  // A graph without switches connects nodes by its own links.
  const Advice graph = advice_on(source_of(R"({ "nodes": 3, "network": { "topology": "graph", "links": [
    { "from": 0, "to": 1, "bandwidth": "8Gbps" }, { "from": 1, "to": 2, "bandwidth": "4Gbps" },
    { "from": 2, "to": 0, "bandwidth": "8Gbps" } ] } })"));
  CHECK(gain_of(graph, "unlimited links between nodes") > 0.99);
  for (const Tried& t : graph.tried) CHECK(t.what.change.find("NIC") == std::string::npos);
  CHECK(find(advice_on(source_of(star + "}")), "unlimited NICs") != nullptr);
}

TEST_CASE("PCIe and NICs that bind nearly alike are tried together") {
  const std::string platform = R"({ "nodes": 2, "gpus_per_node": 1, "intra_node": { "kind": "pcie",
    "link": { "bandwidth": "1.25GB/s", "latency": "0s" } },
    "network": { "topology": "star", "link": { "bandwidth": "10.1Gbps" } } })";
  const Advice advice = advice_on(source_of(platform));
  CHECK(gain_of(advice, "unlimited NICs") < 0.01);
  CHECK(gain_of(advice, "unlimited PCIe") < 0.02);
  CHECK(gain_of(advice, "unlimited NICs and PCIe") > 0.99);
  CHECK(gain_of(advice, "NICs and PCIe x 2") == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("PCIe, NICs and uplinks that bind nearly alike are tried together") {
  const std::string platform = R"({ "nodes": 2, "gpus_per_node": 1, "intra_node": { "kind": "pcie",
    "link": { "bandwidth": "1.25GB/s", "latency": "0s" } },
    "network": { "topology": "racks", "link": { "bandwidth": "10.1Gbps" },
      "racks": { "nodes_per_rack": 1, "uplink": { "bandwidth": "10.2Gbps" } } } })";
  const Advice advice = advice_on(source_of(platform));
  CHECK(gain_of(advice, "unlimited NICs and PCIe") < 0.03);
  CHECK(gain_of(advice, "unlimited NICs and uplinks") < 0.01);
  CHECK(gain_of(advice, "unlimited NICs, uplinks and PCIe") > 0.99);
  CHECK(gain_of(advice, "NICs, uplinks and PCIe x 2") == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("servers with nodes of their own are offered a place on every worker") {
  // 400 MB into the server and out again take 0.64 s. On the workers, 3 x 25 MB leave and reach each NIC twice.
  const Advice advice = advice_on(source_of(star + "}", R"({ "algorithm": "parameter_server" })"));
  CHECK(seconds_of(advice) == Approx(0.64).epsilon(1e-9));
  CHECK(gain_of(advice, "a server on every worker") == Approx(1 - 0.12 / 0.64).epsilon(1e-9));
  const Advice pulls = advice_on(source_of(star + "}", R"({ "algorithm": "parameter_server", "pull": "binomial" })"));
  REQUIRE(find(pulls, "a server on every worker") != nullptr);
  CHECK(find(pulls, "a server on every worker")->what.set.front().second.value("pull", "") == "binomial");
  const Advice colocated =
      advice_on(source_of(star + "}", R"({ "algorithm": "parameter_server", "servers": 4, "colocated": true })"));
  CHECK(find(colocated, "a server on every worker") == nullptr);
}

TEST_CASE("servers that share a node are offered nodes of their own") {
  const std::string platform = R"({ "nodes": 4, "gpus_per_node": 4, "network": { "topology": "star",
    "link": { "bandwidth": "25Gbps", "latency": "10us" } }, "intra_node": { "kind": "pcie",
    "link": { "bandwidth": "11GB/s", "latency": "1us" }, "gpus_per_switch": 2 } })";
  const Advice advice =
      advice_on(source_of(platform, R"({ "algorithm": "parameter_server", "servers": 4, "colocated": true })"));
  CHECK(gain_of(advice, "cyclic placement of ranks and servers") > 0.5);
}

TEST_CASE("a ring whose ranks reduce is offered pieces") {
  // 6 messages of 20 ms and 3 reductions of 20 ms. In pieces, a rank reduces one while the next one comes.
  const Advice advice = advice_on(source_of(star + R"(, "reduce_bandwidth": "1.25GB/s" })"));
  CHECK(gain_of(advice, "each block in 4 pieces") == Approx(1 / 3.0).epsilon(1e-6));
  CHECK(find(advice_on(source_of(star + "}")), "each block in 4 pieces") == nullptr);
}

TEST_CASE("sharded parameters are offered to be gathered earlier, or kept") {
  const ScenarioSource example{GF_SOURCE_DIR "/scenarios/examples/fsdp.json"};
  const auto advice = [&](const std::string& prefetch) {
    return advise(example, {"training.exchange.prefetch=" + prefetch}, {.budget = 300, .jobs = 1});
  };
  const Advice late = advice("0");
  const double shorter = 1 - advice("1").step.iteration_time / late.step.iteration_time;
  CHECK(gain_of(late, "parameters gathered 1 vector ahead") == Approx(shorter).epsilon(1e-9));
  CHECK(shorter > 0.1);
  CHECK(gain_of(late, "parameters kept after the forward pass, in more memory") > 0.1);
}

TEST_CASE("what changes the gradients comes last, and says so") {
  const Advice advice = advice_on(source_of(star + "}"));
  Fidelity before = Fidelity::exact;
  for (const Tried& tried : advice.tried) {
    CHECK(tried.what.fidelity >= before);
    before = tried.what.fidelity;
    if (tried.what.kind == WhatIfKind::together) CHECK(tried.what.fidelity != Fidelity::lossy);
  }
  CHECK(before == Fidelity::lossy);
  const auto json = nlohmann::json::parse(advice_json(advice));
  for (const auto& what : json["what_if"]) {
    const auto name = what["change"].get<std::string>();
    const bool lossy = std::ranges::any_of(std::array{"quantize8", "inceptionn", "ternary", "threelc", "onebit"},
                                           [&](const char* codec) { return name.find(codec) != std::string::npos; });
    CHECK(what.contains("lossy") == lossy);
  }
  const std::string text = advice_text(advice);
  CHECK(text.find("With gradients of 16 bits on the wire") < text.find("With lossy codecs"));
}

TEST_CASE("a resource without limits that makes the step slower is no bound, and has no number") {
  Advice advice = advise(source_of(star + "}"), {}, {.budget = 0, .jobs = 1});
  const auto tried = [](const char* change, WhatIfKind kind, double gain) {
    Tried result;
    result.what.change = change;
    result.what.kind = kind;
    result.gain = gain;
    return result;
  };
  advice.tried = {tried("unlimited NICs", WhatIfKind::unlimited, 0), tried("NICs x 2", WhatIfKind::hardware, -0.3),
                  tried("unlimited PCIe", WhatIfKind::unlimited, -19708.9)};
  advice.step.call = "nccl:tree LL128, 8 channels";
  Tried chosen = tried("unlimited NVLink", WhatIfKind::unlimited, -0.2);
  chosen.step.call = "nccl:ring LL, 16 channels";
  advice.tried.push_back(chosen);
  const std::string text = advice_text(advice);
  CHECK_THAT(text, Catch::Contains("Slower, because the library then chooses otherwise: unlimited NVLink (-20.0 %, "
                                   "nccl:ring LL, 16 channels).\n"));
  CHECK_THAT(text, Catch::Contains("Gains below 0.5 %: unlimited NICs (+0.0 %), NICs x 2 (-30.0 %).\n"));
  CHECK_THAT(text, Catch::Contains("Slower, and so no bound: unlimited PCIe.\n"));
}

TEST_CASE("where nothing was tried, nothing is said to be of no help") {
  const Advice advice = advise(source_of(star + "}"), {}, {.budget = 0, .jobs = 1});
  CHECK(advice.tried.empty());
  CHECK(advice_text(advice).find("Nothing was tried") != std::string::npos);
  CHECK(advice_text(advice).find("would help") == std::string::npos);
}

TEST_CASE("plain settings that help are offered, whichever of their values is set") {
  const auto layers = [](const std::string& exchange, const std::string& more = "") {
    return ScenarioSource{"case.json", fmt::format(R"({{ "platform": {}, "workload": {{ "layers": [
      {{ "forward": "20ms", "backward": "20ms", "tensors": [{{ "name": "a", "bytes": "40MB" }}] }},
      {{ "forward": "20ms", "backward": "20ms", "tensors": [{{ "name": "b", "bytes": "40MB" }}] }}] }},
      "training": {{ "exchange": {}, "overlap": "layerwise", "granularity": "tensor", "iterations": 4{} }} }})",
                                                   star + "}", exchange, more)};
  };
  const auto offered = [](const ScenarioSource& source, const std::string& change, const std::string& set) {
    const Advice advice = advice_on(source);
    INFO(change);
    const Tried* tried = find(advice, change);
    REQUIRE(tried != nullptr);
    CHECK(tried->what.sets() == std::vector<std::string>{set});
    return tried->gain;
  };
  CHECK(offered(layers(R"({ "algorithm": "sharded", "stage": 1 })"), "updated parameters at their first use",
                "training.exchange.pull_at=first_use") > 0.05);
  CHECK(offered(layers(R"({ "algorithm": "parameter_server", "pull_at": "first_use" })"), "updated parameters at once",
                "training.exchange.pull_at=once") < 0.05);
  CHECK(offered(layers(R"({ "algorithm": "parameter_server" })"), "updated parameters by a binomial tree",
                "training.exchange.pull=binomial") > 0);
  CHECK(offered(layers(R"({ "algorithm": "ring", "pieces": 8 })"), "each block in one piece",
                "training.exchange.pieces=1") <= 0);
  offered(layers(R"({ "algorithm": "ring" })", R"(, "streams": 2)"), "1 communication stream", "training.streams=1");
  // A ring over nodes in turn crosses a cable with each message; in linear order, one of two.
  const std::string cyclic = R"({ "nodes": 2, "gpus_per_node": 2, "network": { "topology": "star",
    "link": { "bandwidth": "10Gbps" } }, "intra_node": { "kind": "nvlink", "link": { "bandwidth": "100GB/s" } } })";
  CHECK(offered(source_of(cyclic, R"({ "algorithm": "ring" })", R"(, "placement": "cyclic")"),
                "linear placement of ranks", "placement=linear") == Approx(0.5).epsilon(1e-3));
  // What leaves a leaf switch of four nodes passes two cables. By hash, they carry unequally much.
  const std::string tree = R"({ "nodes": 16, "network": { "topology": "fat_tree", "link": { "bandwidth": "10Gbps" },
    "routing": "ecmp", "fat_tree": { "levels": [ { "down": 4 }, { "down": 4, "up": 2 } ] } } })";
  CHECK(offered(source_of(tree, R"({ "algorithm": "direct" })"), "adaptive routing",
                "platform.network.routing=adaptive") > 0.05);
}

TEST_CASE("each kind of what-if is accepted by an example") {
  std::map<std::string, bool> accepted; // by the change's text without numbers
  std::vector<ScenarioSource> sources;
  // Machines that no example has: NVSwitches that reduce, a machine for RCCL, GPUs behind the memory of the hosts.
  for (const char* machine : {"dgx-h100", "mi300x-8", "rack-25gbe"})
    sources.push_back(source_of(fmt::format(R"({{ "machine": "{}", "nodes": 1 }})", machine)));
  for (const auto& file : std::filesystem::directory_iterator(GF_SOURCE_DIR "/scenarios/examples"))
    if (file.path().extension() == ".json") sources.push_back({file.path().string()});
  for (const ScenarioSource& source : sources) {
    const Prepared prepared = prepare_changed(source, {});
    if (!prepared.scenario().one_job() || prepared.scenario().workers() > 1024) continue;
    for (const WhatIf& what : what_ifs(prepared.scenario(), prepared.canonical())) {
      std::string kind = what.change;
      std::erase_if(kind, [](unsigned char c) { return std::isdigit(c); });
      bool& any = accepted[kind];
      if (any) continue;
      try {
        prepare_changed(source, {what.sets(), {}, {}});
        any = true;
      } catch (const std::exception&) { // this example's settings exclude the change
      }
    }
  }
  CHECK(accepted.size() > 30);
  for (const auto& [kind, any] : accepted) {
    INFO(kind);
    CHECK(any);
  }
}

TEST_CASE("an unlimited resource gains about its share where one kind of link binds one exchange") {
  int looked = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    test::Dice dice(seed);
    const int nodes = 2 * dice.in(2, 4);
    const std::string algorithm =
        dice.one_of<std::string>({"ring", "halving_doubling", "binomial_tree", "recursive_doubling"});
    const double rate = dice.real(1, 100);
    // Otherwise the other kind of link soon becomes the bound, and the gain is less than the share.
    const bool dominant = dice.chance(50);
    const double uplinks_to_nics = dominant ? dice.one_of<double>({0.01, 100}) : dice.real(0.05, 8);
    std::string platform =
        fmt::format(R"({{ "nodes": {}, "network": {{ "topology": "racks", "link": {{ "bandwidth": "{:.6f}Gbps" }},
      "racks": {{ "nodes_per_rack": 2, "uplink": {{ "bandwidth": "{:.6f}Gbps" }} }} }})",
                    nodes, rate, rate * uplinks_to_nics);
    if (dice.chance(40))
      platform += fmt::format(R"(, "overrides": [{{ "nodes": {}, "bandwidth": "{:.6f}Gbps" }}])", dice.in(0, nodes - 1),
                              rate / dice.in(2, 9));
    const ScenarioSource source = source_of(platform + "}", fmt::format(R"({{ "algorithm": "{}" }})", algorithm));
    const Prepared prepared = prepare_changed(source, {});
    const auto evaluated = evaluate(prepared);
    const auto bounds = bound_by(evaluated.scenario, evaluated.result);
    std::map<std::string, double> shares;
    for (const Bound& bound : bounds) shares[bounding_name(bound.what)] = bound.share;
    for (const WhatIf& what : what_ifs(prepared.scenario(), prepared.canonical())) {
      const bool nics = what.change == "unlimited NICs", uplinks = what.change == "unlimited uplinks";
      if (!nics && !uplinks) continue;
      const double share = shares[nics ? "nic" : "uplink"];
      const auto then = evaluate(prepare_changed(source, {what.sets(), {}, {}}));
      const double gain = 1 - then.result.iteration_time / evaluated.result.iteration_time;
      INFO(seed << " " << algorithm << " " << platform << " " << what.change << " share " << share << " gain " << gain);
      CHECK(gain <= share + 1e-4);
      if (dominant && share > 0.5) {
        CHECK(gain >= 0.9 * share);
        ++looked;
      }
    }
  }
  CHECK(looked > 8);
}

TEST_CASE("where steps differ, gains are of the whole run") {
  // A ring of two at 1 GB/s takes 80 ms per step. The second step loses 15 ms, because a link has a quarter of its rate
  // for 20 ms.
  const std::string pair = R"({ "nodes": 2, "network": { "topology": "star", "link": { "bandwidth": "8Gbps" } } })";
  const std::string three = R"({ "algorithm": "ring" }, "iterations": 3)";
  const Advice advice = advice_on(source_of(pair, three, R"(, "changes": [
    { "at": "100ms", "link": "node1.up", "bandwidth": "2Gbps" }, { "at": "120ms", "link": "node1.up", "bandwidth": "8Gbps" }])",
                                            "80MB"));
  CHECK(advice.of_run);
  CHECK(gain_of(advice, "without the changes") == Approx(15.0 / 255).epsilon(1e-9));
  CHECK(gain_of(advice, "the link node1.up like the others") == Approx(15.0 / 255).epsilon(1e-9));
  const std::string text = advice_text(advice);
  CHECK(text.find("The steps differ, so gains are of the whole run of 255 ms.") != std::string::npos);
  CHECK(text.find("-0.0 %") == std::string::npos);
  const auto json = nlohmann::json::parse(advice_json(advice));
  CHECK(json.at("gains_of") == "run");
  CHECK(json.at("time_s").get<double>() == Approx(0.255).epsilon(1e-9));
  // Every second step exchanges: 60 ms of passes and 80 ms of the ring. By the last step alone, NICs would gain
  // nothing.
  const ScenarioSource source{"every.json", R"({ "platform": )" + pair + R"(, "workload": { "layers": [
    { "name": "l", "forward": "20ms", "backward": "40ms", "tensors": [{ "name": "g", "bytes": "80MB" }] }] },
    "training": { "exchange": { "algorithm": "ring" }, "every": 2, "iterations": 5 } })"};
  const Advice every = advice_on(source);
  CHECK(every.of_run);
  CHECK(gain_of(every, "unlimited NICs") == Approx(160.0 / 460).epsilon(1e-4));
  // If steps are alike, gains are those of the step.
  CHECK_FALSE(advice_on(source_of(pair, three, "", "80MB")).of_run);
}

TEST_CASE("a gain that rounds to zero has no minus") {
  CHECK(gain_text(-1e-17) == "+0.0 %");
  CHECK(gain_text(-0.0004) == "+0.0 %");
  CHECK(gain_text(-0.188) == "-18.8 %");
  CHECK(gain_text(0.25) == "+25.0 %");
}

TEST_CASE("with failures, gains in JSON follow from the costs of a step there") {
  // The last step may contain an outage, so its own time says nothing about the gain.
  const Advice advice =
      advice_on({"case.json",
                 R"({ "platform": { "nodes": 4, "network": { "topology": "star", "link": { "bandwidth": "10GB/s" } } },
          "workload": { "layers": [{ "backward": "500ms", "tensors": [{ "name": "g", "bytes": "240MB" }] }] },
          "training": { "exchange": { "algorithm": "binomial_tree" }, "iterations": 60 },
          "failures": { "gpus": { "mtbf": "20s", "mttr": "5s" }, "seed": 68, "repeats": 1 },
          "recovery": { "policy": "resend", "detection": "100ms" } })"});
  const auto json = nlohmann::json::parse(advice_json(advice));
  CHECK(json.at("gains_of") == "step_cost");
  const double before = json.at("step_cost_s");
  CHECK(before > 0.5); // the pass alone
  REQUIRE(json.at("what_if").size() > 5);
  for (const auto& what : json.at("what_if")) {
    INFO(what.at("change"));
    CHECK(what.at("gain").get<double>() == Approx(1 - what.at("step_cost_s").get<double>() / before).margin(1e-12));
  }
}

TEST_CASE("compute in no time slows no messages either") {
  // Of 280 ms, 20 are passes and 20 are messages at half the speed beside them.
  const ScenarioSource source{"slow.json", R"({ "platform": { "nodes": 4, "rate_while_computing": 0.5,
      "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } } },
    "workload": { "layers": [{ "forward": "5ms", "backward": "10ms", "tensors": [{ "bytes": "10MB" }] },
                             { "forward": "5ms", "backward": "10ms", "tensors": [{ "bytes": "10MB" }] }] },
    "training": { "exchange": { "algorithm": "ring" }, "overlap": "layerwise", "granularity": "layer",
                  "iterations": 3 } })"};
  const Advice advice = advice_on(source);
  CHECK(advice.step.iteration_time == Approx(0.28).epsilon(1e-9));
  CHECK(gain_of(advice, "compute in no time") == Approx(40.0 / 280).epsilon(1e-6));
}

TEST_CASE("links with which a chain chooses other chunks say so") {
  const std::string network = R"({ "nodes": 4, "network": { "topology": "star",
    "link": { "bandwidth": "10Gbps", "latency": "50us" } } })";
  const char* others = "The schedule then makes ";
  CHECK_THAT(advice_text(advice_on(source_of(network, R"({ "algorithm": "chain" })"))), Catch::Contains(others));
  CHECK_THAT(advice_text(advice_on(source_of(network))), !Catch::Contains(others)); // a ring has none
}
