// The bounds in the verdict, in cases derived by hand.
#include "analysis/run/runner.hpp"
#include "sim/engine/streams/failure.hpp"
#include "tests/analysis/run/result/verdict_cases.hpp"
#include "tests/support/random_scenario.hpp"

using namespace gradflight;
using namespace gradflight::verdict_cases;

namespace {

/// Racks of two, four nodes.
const std::string racks_of_two = R"({ "nodes": 4, "network": { "topology": "racks", "link": { "bandwidth": "10Gbps" },
  "racks": { "nodes_per_rack": 2, "uplink": { "bandwidth": "5Gbps" } } } })";

const std::string two_level =
    R"({ "nodes": 4, "gpus_per_node": 2, "intra_node": { "kind": "pcie", "link": { "bandwidth": "12GB/s", "latency": "1us" } },
  "network": { "topology": "star", "link": { "bandwidth": "100Gbps", "latency": "5us" } })";

} // namespace

TEST_CASE("a tree's messages within racks are held up by NICs, those between them by uplinks") {
  // 80 ms and 160 ms up, 160 ms and 80 ms down.
  const Outcome o = evaluated(racks_of_two, tree);
  CHECK(o.result.iteration_time == Approx(0.48).epsilon(1e-12));
  CHECK(share(o, Bounding::uplink) == Approx(320.0 / 480).epsilon(1e-9));
  CHECK(share(o, Bounding::nic) == Approx(160.0 / 480).epsilon(1e-9));
  CHECK(sentence(o) == "The uplinks bound the step: 66.7 % of 480 ms; then the NICs 33.3 %.");
}

TEST_CASE("messages that share an uplink are held up by it, alone and together") {
  // Within racks 80 ms. Between them two messages share 5 Gbps: 160 ms alone, and the same again.
  const Outcome o = evaluated(racks_of_two, doubling);
  CHECK(o.result.iteration_time == Approx(0.4).epsilon(1e-12));
  CHECK(share(o, Bounding::uplink) == Approx(0.8).epsilon(1e-9));
  CHECK(sentence(o) == "The uplinks bound the step: 80.0 % of 400 ms; then the NICs 20.0 %.");
}

TEST_CASE("GPU links narrower than NICs hold up what does not leave the node") {
  const auto platform = [](const char* kind) {
    return fmt::format(R"({{ "nodes": 2, "gpus_per_node": 2,
      "intra_node": {{ "kind": "{}", "link": {{ "bandwidth": "1GB/s", "latency": "0s" }} }},
      "network": {{ "topology": "star", "link": {{ "bandwidth": "10Gbps" }} }} }})",
                       kind);
  };
  // 100 ms within nodes and 80 ms between them, up and down.
  const Outcome direct = evaluated(platform("nvlink"), tree);
  CHECK(direct.result.iteration_time == Approx(0.36).epsilon(1e-12));
  CHECK(sentence(direct) == "NVLink bounds the step: 55.6 % of 360 ms; then the NICs 44.4 %.");
  // PCIe is also on the way to the NIC.
  const Outcome behind = evaluated(platform("pcie"), tree);
  CHECK(behind.result.iteration_time == Approx(0.4).epsilon(1e-12));
  CHECK(sentence(behind) == "PCIe bounds the step: 100.0 % of 400 ms.");
}

TEST_CASE(
    "the cause of the form's residual and the verdict name the same link where sharing it takes most of the step") {
  const auto on_racks_of_four = [](int oversubscription) {
    return evaluated(
        fmt::format(R"({{ "nodes": 8, "network": {{ "topology": "racks", "link": {{ "bandwidth": "10Gbps" }},
      "racks": {{ "nodes_per_rack": 4, "oversubscription": {} }} }} }})",
                    oversubscription),
        halving);
  };
  // Halves of 40 and 20 ms stay within racks, in each direction of the exchange. Four messages of the third step share
  // an uplink of 2.5 Gbps: 40 ms alone, and 120 ms more.
  const Outcome narrow = on_racks_of_four(16);
  REQUIRE(!narrow.bottlenecks.empty());
  CHECK(narrow.bottlenecks.front().link.starts_with("rack"));
  CHECK(sentence(narrow) == "The uplinks bound the step: 72.7 % of 440 ms; then the NICs 27.3 %.");
  // At 10 Gbps, NIC and uplink are equally narrow, but only the uplink is shared: 40 of 100 ms are held up by it.
  const Outcome wide = on_racks_of_four(4);
  REQUIRE(!wide.bottlenecks.empty());
  CHECK(wide.bottlenecks.front().link.starts_with("rack"));
  CHECK(sentence(wide) == "The NICs bound the step: 60.0 % of 200 ms; then the uplinks 40.0 %.");
  CHECK(compare(simulated(wide), wide.form).cause.starts_with("besides the NICs (60.0 % of the step): rack0.up (and "));
  CHECK(compare(simulated(narrow), narrow.form).cause.starts_with("rack0.up (and "));
}

TEST_CASE("links that bound the step are not among those beyond it") {
  // Two exchanges of 50 MB at once. By NVLink they take 167 ms, of which sharing costs one half. Between nodes four
  // messages share a NIC for 160 ms, of which sharing costs 120 ms.
  const Outcome o =
      evaluated(std::string(R"({ "nodes": 2, "gpus_per_node": 2,
        "intra_node": { "kind": "nvlink", "link": { "bandwidth": "600MB/s", "latency": "0s" } },
        "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } } })"),
                doubling + R"(, "granularity": "tensor", "overlap": "layerwise", "streams": 2)", std::string(),
                std::string(R"({ "tensors": [{ "name": "g", "bytes": "50MB" }, { "name": "h", "bytes": "50MB" }] })"));
  REQUIRE(o.bounds.front().what == Bounding::intra_node);
  const std::string cause = compare(simulated(o), o.form).cause;
  INFO(cause);
  CHECK(cause.starts_with("besides NVLink (51.0 % of the step): node0.up (and 1 alike) 120 ms"));
  CHECK(cause.substr(0, cause.find("; an assumption fails: ")).find("nvlink") == std::string::npos);
  CHECK(text_of(o.bottlenecks).find("nvlink") != std::string::npos); // they do share it
}

TEST_CASE("cables at a graph's only switch are the nodes' NICs', a torus' cables are links between nodes") {
  const Outcome graph = evaluated(R"({ "nodes": 3, "network": { "topology": "graph", "switches": ["s"],
    "links": [ { "from": 0, "to": "s", "bandwidth": "10Gbps" }, { "from": 1, "to": "s", "bandwidth": "10Gbps" },
               { "from": 2, "to": "s", "bandwidth": "10Gbps" } ] } })",
                                  ring);
  CHECK(share(graph, Bounding::nic) == Approx(1).epsilon(1e-9));
  CHECK(sentence(graph).starts_with("The NICs bound the step: 100.0 %"));
  const Outcome torus = evaluated(R"({ "nodes": 4, "network": { "topology": "torus", "torus": { "dimensions": [4] },
    "link": { "bandwidth": "10Gbps" } } })",
                                  tree);
  CHECK(share(torus, Bounding::uplink) > 0.4);
  CHECK(sentence(torus).find("inks between nodes") != std::string::npos);
}

TEST_CASE("a NIC that a change slows down binds as one that an override does") {
  const std::string big = R"({ "tensors": [{ "name": "g", "bytes": "400MB" }] })";
  const Outcome changed =
      evaluated(two_level + "}", ring, R"(, "changes": [{ "at": "0s", "nic": "node2", "bandwidth": "1Gbps" }])", big);
  const Outcome overridden =
      evaluated(two_level + R"(, "overrides": [{ "nodes": 2, "bandwidth": "1Gbps" }] })", ring, "", big);
  CHECK(changed.result.time == Approx(overridden.result.time).epsilon(1e-12));
  CHECK(share(changed, Bounding::nic) > 0.99);
  CHECK(share(changed, Bounding::nic) == Approx(share(overridden, Bounding::nic)).epsilon(1e-9));
  CHECK(sentence(changed) == sentence(overridden));
}

TEST_CASE("a ring that is worked out at once is held up as one that goes message by message") {
  const std::vector<std::string> platforms = {
      two_level + "}",
      R"({ "nodes": 6, "network": { "topology": "racks", "link": { "bandwidth": "10Gbps", "latency": "3us" },
        "racks": { "nodes_per_rack": 3, "uplink": { "bandwidth": "7Gbps", "latency": "1us" } } }, "reduce_bandwidth": "5GB/s",
        "overrides": [{ "nodes": 1, "bandwidth": "6Gbps" }, { "nodes": 4, "reduce_bandwidth": "2GB/s" }] })",
      R"({ "nodes": 2, "gpus_per_node": 4, "intra_node": { "kind": "nvlink", "link": { "bandwidth": "3GB/s", "latency": "1us" } },
        "network": { "topology": "star", "link": { "bandwidth": "25Gbps", "latency": "5us" } }, "rate_while_computing": 0.7 })"};
  const std::string workload =
      R"({ "layers": [ { "forward": "1ms", "backward": "3ms", "tensors": [ { "bytes": "3MB" } ] },
                       { "forward": "2ms", "backward": "1ms", "tensors": [ { "bytes": "5MB" } ] } ] })";
  for (const std::string& platform : platforms) {
    INFO(platform);
    const Outcome at_once = evaluated(platform, ring, "", workload);
    const Outcome stepwise =
        evaluated(platform, ring, R"(, "engine": { "kind": "hybrid", "shortcuts": false })", workload);
    REQUIRE(at_once.result.time == Approx(stepwise.result.time).epsilon(1e-12));
    for (int t = 0; t < link_tiers; ++t) {
      const auto tier = static_cast<LinkTier>(t);
      INFO(t);
      CHECK(at(at_once.result.iteration_held, tier) ==
            Approx(at(stepwise.result.iteration_held, tier)).epsilon(1e-9).margin(1e-12));
    }
  }
}

TEST_CASE("links that tie in a ring are told so without latency, too") {
  // All edges of the ring take the same time. For two of eight, or three of six, NIC and uplink cause equal delays. All
  // 14 (10) messages of a path may use one of these, so a faster NIC or uplink alone gains nothing.
  const auto on_racks = [](int nodes, int per_rack, bool shortcuts) {
    return evaluated(
        fmt::format(R"({{ "nodes": {}, "network": {{ "topology": "racks", "link": {{ "bandwidth": "8Gbps" }},
      "racks": {{ "nodes_per_rack": {}, "oversubscription": {} }} }} }})",
                    nodes, per_rack, per_rack),
        std::string(R"({ "algorithm": "ring" }, "iterations": 2)"),
        fmt::format(R"(, "engine": {{ "kind": "hybrid", "shortcuts": {} }})", shortcuts),
        std::string(R"({ "tensors": [{ "name": "g", "bytes": "960MB" }] })"));
  };
  for (const bool shortcuts : {true, false}) {
    INFO(shortcuts);
    CHECK(sentence(on_racks(8, 4, shortcuts)) == "The NICs and the uplinks bound the step: 50.0 % of 1.68 s each.");
    CHECK(sentence(on_racks(6, 2, shortcuts)) == "The NICs and the uplinks bound the step: 50.0 % of 1.6 s each.");
  }
}

TEST_CASE("an uplink of the rate of a server's cable ties with it, and so do NICs that are as full") {
  // 8 pushes of 100 MB go through the server's uplink and cable, 1 GB/s each, and then 8 pulls: 1.6 s.
  const Outcome racks = evaluated(R"({ "nodes": 8, "network": { "topology": "racks", "link": { "bandwidth": "8Gbps" },
      "racks": { "nodes_per_rack": 4, "oversubscription": 4 } } })",
                                  R"({ "algorithm": "parameter_server" })");
  CHECK(racks.result.time == Approx(1.6).epsilon(1e-12));
  CHECK(sentence(racks) == "The uplinks and the server bound the step: 50.0 % of 1.6 s each.");
  // Each of 4 workers exchanges 25 MB with each of 4 servers: 100 MB fill each NIC and each server's cable, twice.
  const Outcome star = evaluated(star_of(4), R"({ "algorithm": "parameter_server", "servers": 4 })");
  CHECK(sentence(star) == "The NICs and the server bound the step: 50.0 % of 200 ms each.");
  // A message alone: the worker's NIC and the server's cable are equally narrow.
  const Outcome alone = evaluated(star_of(1), R"({ "algorithm": "parameter_server" })");
  CHECK(sentence(alone) == "The NICs and the server bound the step: 50.0 % of 200 ms each.");
}

TEST_CASE("only traffic that shared a link with the path's messages is named beside it") {
  // Nodes 1 and 2 push 80 MB each to the server on node 0 from 60 ms on. 10 MB from node 1 to node 0 take 10 ms.
  for (const auto& [start, named] : {std::pair{"0s", ""}, std::pair{"60ms", "a"}}) {
    const std::string traffic =
        fmt::format(R"(, "traffic": [{{ "name": "a", "from": 1, "to": 0, "bytes": "10MB", "start": "{}" }}])", start);
    const Outcome o =
        evaluated(star_of(3), R"({ "algorithm": "parameter_server", "colocated": true })", traffic, trained);
    const auto shared = std::ranges::find(o.bottlenecks, "node0.down", &Bottleneck::link);
    REQUIRE(shared != o.bottlenecks.end());
    CHECK(shared->traffic == named);
  }
}

TEST_CASE("other traffic has a share of its own") {
  // Two nodes send half of 100 MB each, twice. With a flow that has half of one direction, this takes twice as long.
  const std::string pair = R"({ "nodes": 2, "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } } })";
  const Outcome o = evaluated(pair, ring, R"(, "traffic": [{ "name": "backup", "from": 0, "to": 1 }])");
  CHECK(o.result.iteration_time == Approx(0.16).epsilon(1e-9));
  CHECK(at(o.result.iteration_path, Part::traffic) == Approx(0.08).epsilon(1e-9));
  CHECK(at(o.result.iteration_path, Part::contention) == 0);
  CHECK(share(o, Bounding::traffic) == Approx(0.5).epsilon(1e-9));
  CHECK(share(o, Bounding::nic) == Approx(0.5).epsilon(1e-9));
}

TEST_CASE("waiting for a link that is down is told with the link and its times") {
  const std::string pair = R"({ "nodes": 2, "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } } })";
  const Outcome o = evaluated(pair, R"({ "algorithm": "ring" }, "iterations": 3)",
                              R"(, "changes": [{ "at": "20ms", "link": "node1.up", "state": "down" },
                                                 { "at": "50ms", "link": "node1.up", "state": "up" }])");
  REQUIRE(o.result.iterations.size() == 3);
  CHECK(o.result.iterations[0].end == Approx(0.11).epsilon(1e-9));
  CHECK(at(o.result.iterations[0].path, Part::outage) == Approx(0.03).epsilon(1e-9));
  CHECK(at(o.result.path, Part::contention) == 0);
  CHECK(sentence(o) ==
        "Step 1 of 3 is the slowest, 110 ms (waiting for node1.up, down from 20 ms to 50 ms: 30 ms); "
        "step 2 is the fastest, 80 ms. The rest is about the last step. The NICs bound the step: 100.0 % of 80 ms.");
  const Outcome once = evaluated(pair, ring,
                                 R"(, "changes": [{ "at": "20ms", "link": "node1.up", "state": "down" },
                                                    { "at": "50ms", "link": "node1.up", "state": "up" }])");
  CHECK(share(once, Bounding::outage) == Approx(30.0 / 110).epsilon(1e-9));
  CHECK(sentence(once) ==
        "The NICs bound the step: 72.7 % of 110 ms; then waiting for node1.up, down from 20 ms to 50 ms: "
        "27.3 %.");
}

TEST_CASE("the change that made a step slow is named, not the one that ended it nor one that changed nothing") {
  // 80 ms per step. At 1 Gbps for 30 ms, 3.75 MB are sent instead of 37.5: the first step takes 27 ms more.
  const auto three_steps = [](const std::string& changes) {
    return sentence(evaluated(
        std::string(R"({ "nodes": 2, "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } } })"),
        std::string(R"({ "algorithm": "ring" }, "iterations": 3)"), R"(, "changes": [)" + changes + "]"));
  };
  const std::string slow = R"({ "at": "20ms", "nic": "node1", "bandwidth": "1Gbps" })",
                    repaired = R"({ "at": "50ms", "nic": "node1", "bandwidth": "10Gbps" })",
                    nothing = R"({ "at": "60ms", "nic": "node0", "latency": "0s" })";
  for (const std::string& changes : {slow + "," + repaired, slow + "," + repaired + "," + nothing})
    CHECK(
        three_steps(changes) ==
        "Step 1 of 3 is the slowest, 107 ms (NIC node1: bandwidth 1 Gbps from 20 ms to 50 ms); step 2 is the fastest, "
        "80 ms. The rest is about the last step. The NICs bound the step: 100.0 % of 80 ms.");
  CHECK(three_steps(R"({ "at": "100ms", "nodes": 1, "bandwidth": "5Gbps" })")
            .starts_with("Step 3 of 3 is the slowest, 160 ms (node 1: bandwidth 5 Gbps from 100 ms on); step 1 is the "
                         "fastest, 80 ms."));
  // A change that makes later steps faster.
  CHECK(three_steps(R"({ "at": "100ms", "nodes": "0-1", "bandwidth": "20Gbps" })")
            .starts_with("Step 1 of 3 is the slowest, 80 ms (nodes 0-1: bandwidth 20 Gbps only from 100 ms on); step 3 "
                         "is the fastest, 40 ms."));
  CHECK(three_steps(R"({ "at": "100ms", "nic": "node0", "bandwidth": "20Gbps" },
                       { "at": "100ms", "nic": "node1", "bandwidth": "20Gbps" })")
            .starts_with("Step 1 of 3 is the slowest, 80 ms (NIC node0 and NIC node1: bandwidth 20 Gbps only from "
                         "100 ms on); step 3 is the fastest, 40 ms."));
  CHECK(three_steps(nothing).starts_with("The NICs bound the step")); // all steps are alike
}

TEST_CASE("a link that stays down is told with the time since which nothing goes on") {
  const ScenarioSource source{"down.json", R"({ "platform": { "nodes": 2, "network": { "topology": "star",
      "link": { "bandwidth": "10Gbps" } } }, "workload": { "tensors": [{ "bytes": "100MB" }] },
    "training": { "exchange": { "algorithm": "ring" }, "iterations": 3 },
    "changes": [{ "at": "300ms", "link": "node1.up", "state": "down" }], "engine": { "kind": "hybrid", "shortcuts": false } })"};
  const ScenarioSource early{"down.json", R"({ "platform": { "nodes": 2, "network": { "topology": "star",
      "link": { "bandwidth": "10Gbps" } } }, "workload": { "tensors": [{ "bytes": "100MB" }] },
    "training": { "exchange": { "algorithm": "ring" }, "iterations": 3 },
    "changes": [{ "at": "30ms", "link": "node1.up", "state": "down" }] })"};
  CHECK_NOTHROW(evaluate(prepare_changed(source, {}))); // the run ends before the change
  try {
    evaluate(prepare_changed(early, {}));
    FAIL("it never ends");
  } catch (const SimulationFailure& failure) {
    const std::string text = failure.what();
    INFO(text);
    CHECK(text.find("node1.up (since 0.03 s)") != std::string::npos);
    CHECK(text.find("deadlock at 0.04 s") != std::string::npos); // when the other direction has ended
  }
}

TEST_CASE("a switch that stays down is told by its name, not by its links") {
  const std::string racks = R"({ "nodes": 4, "network": { "topology": "racks", "link": { "bandwidth": "8Gbps" },
    "racks": { "nodes_per_rack": 2, "oversubscription": 1 } } })";
  try {
    evaluated(racks, std::string(R"({ "algorithm": "ring" }, "iterations": 3)"),
              std::string(R"(, "changes": [{ "at": "90ms", "nodes": 0, "state": "down" },
                                           { "at": "100ms", "switch": "rack1", "state": "down" }])"));
    FAIL("it never ends");
  } catch (const SimulationFailure& failure) {
    CHECK_THAT(failure.what(), Catch::Contains("permanently down: node 0 (since 0.09 s), switch rack1 (since 0.1 s)"));
  }
}

TEST_CASE("a GPU that was down bounds the step as an outage alone, and not as a straggler") {
  const Outcome o =
      evaluated(star_of(2), ring, std::string(R"(, "changes": [{ "at": "10ms", "nodes": 1, "state": "down" },
                                                           { "at": "70ms", "nodes": 1, "state": "up" }])"),
                trained);
  CHECK(share(o, Bounding::straggler) == 0);
  CHECK(sentence(o) == "The NICs bound the step: 40.0 % of 200 ms; then compute 30.0 %, waiting for node 1, down from "
                       "10 ms to 70 ms: 30.0 %.");
  const Outcome longer =
      evaluated(star_of(2), ring, std::string(R"(, "changes": [{ "at": "10ms", "nodes": 1, "state": "down" },
                                                                { "at": "90ms", "nodes": 1, "state": "up" }])"),
                trained);
  CHECK(sentence(longer) == "The NICs and waiting for node 1, down from 10 ms to 90 ms, bound the step: 36.4 % of "
                            "220 ms each; then compute 27.3 %.");
}

TEST_CASE("shares sum to 1 and agree with the bottlenecks, whatever the scenario") {
  int shared = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    INFO(seed);
    const Outcome o = evaluate(Prepared(test::random_scenario(seed)));
    const RunResult& r = o.result;
    double all = 0;
    for (const Bound& b : bound_by(o.scenario, r)) {
      CHECK(b.share > 0);
      // Without a protocol, some link delays every message.
      CHECK((b.what != Bounding::protocol && b.what != Bounding::sharing));
      all += b.share;
    }
    if (r.iteration_time > 0) CHECK(all == Approx(1).epsilon(1e-12));
    double held = 0;
    for (const double seconds : r.iteration_held) held += seconds;
    CHECK(held ==
          Approx(at(r.iteration_path, Part::beta) + at(r.iteration_path, Part::contention)).epsilon(1e-6).margin(1e-9));
    if (r.iterations.size() != 1 || r.iterations[0].end != r.time) continue;
    for (const LinkDelay& delay : r.delays) {
      const LinkTier tier = r.links[static_cast<std::size_t>(delay.link)].role.tier;
      INFO(r.links[static_cast<std::size_t>(delay.link)].name);
      // Links that tie share their time between at most three tiers.
      CHECK(at(r.iterations[0].held, tier) >= delay.seconds / 3 * (1 - 1e-9));
      ++shared;
    }
  }
  CHECK(shared > 20);
}

TEST_CASE("the reference engine blames the same links, and says where it does not know them") {
  const auto on_simgrid = [](const std::string& exchange) {
    const Prepared prepared = prepare_changed(source_of(racks_of_two, exchange, R"(, "engine": "simgrid")"), {});
    std::string verdict;
    run_cases(
        1, {},
        [&](std::size_t, Process process) {
          const RunResult result = simulate(prepared, {.process = process});
          return verdict_text(bound_by(prepared.scenario(), result), result.iteration_time);
        },
        [&](std::size_t, const Answer<std::string>& answer) {
          REQUIRE(answer.finished());
          verdict = answer.value;
        });
    return verdict;
  };
  CHECK(on_simgrid(tree) == sentence(evaluated(racks_of_two, tree)));
  // Alone, a message would take 160 of the 320 ms between racks.
  CHECK(on_simgrid(doubling) == "The uplinks and shared links, which this engine does not name, bound the "
                                "step: 40.0 % of 400 ms each; then the NICs 20.0 %.");
}
