// Comparison, scaling and advice with known answers, and the parsing of command-line words.
#include "analysis/explore/advice/advice.hpp"
#include "analysis/explore/answers/compare.hpp"
#include "analysis/explore/answers/named_change.hpp"
#include "analysis/explore/answers/scale.hpp"
#include "analysis/run/evaluate.hpp"
#include "base/usage_error.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;

namespace {

/// 8 nodes; the bytes of their ring take 700 ms after 300 ms of computation, without latency.
ScenarioSource known_ring(const std::string& more = "") {
  return {"known.json", R"({ "platform": { "nodes": 8, "network": { "topology": "star",
      "link": { "bandwidth": "1GB/s" } } },
    "workload": { "layers": [ { "forward": "100ms", "backward": "200ms", "tensors": [ { "bytes": "400MB" } ] } ],
      "batch": 16 },
    "training": { "exchange": { "algorithm": "ring" } )" +
                            more + "} }"};
}

Scenario known_scenario() { return prepare_changed(known_ring(), {}).scenario(); }

const Tried* tried_change(const Advice& advice, const std::string& change) {
  for (const Tried& t : advice.tried)
    if (t.what.change == change) return &t;
  return nullptr;
}

} // namespace

TEST_CASE("a variant's commas belong to its values where brackets and quotes say so") {
  const auto variant = parse_named_change(R"(a b:x.y={"a":[1,2],"b":"c,\"d"},z=3)");
  CHECK(variant.name == "a b");
  REQUIRE(variant.sets.size() == 2);
  CHECK(variant.sets[0] == R"(x.y={"a":[1,2],"b":"c,\"d"})");
  CHECK(variant.sets[1] == "z=3");
  for (const char* wrong : {"", "x=1", "name", ":x=1", "name:", "name:x", "name:=1", "name:x=1,y", "x=a:b"})
    CHECK_THROWS_AS(parse_named_change(wrong), UsageError);
  const auto list = parse_value_list("platform.nodes=1,2,4");
  CHECK(list.path == "platform.nodes");
  CHECK(list.values == std::vector<std::string>{"1", "2", "4"});
  for (const char* wrong : {"", "x", "=1", "x=", "x=1,,2"}) CHECK_THROWS_AS(parse_value_list(wrong), UsageError);
}

TEST_CASE("columns of one name are told apart") {
  CHECK(distinct_names({"a", "b", "a", "a", "a (2)"}) == std::vector<std::string>{"a", "b", "a (3)", "a (4)", "a (2)"});
}

TEST_CASE("side by side: the most samples per second are best, and without samples the shortest step") {
  SideBySide table;
  table.columns.resize(2);
  for (std::size_t i = 0; i < 2; ++i)
    table.columns[i].step.iteration_time = table.columns[i].step.mean_time = i == 0 ? 0.1 : 0.15;
  CHECK(table.best() == 0);
  table.columns[0].samples_per_s = 320;
  CHECK(table.best() == 0);
  table.columns[1].samples_per_s = 582; // twice as many ranks
  CHECK(table.best() == 1);
}

TEST_CASE("side by side: the least time is best, and parts differ by what was changed") {
  std::vector<Prepared> both;
  both.push_back(prepare_changed(known_ring(), {}));
  both.push_back(prepare_changed(known_ring(R"(, "compression": "fp16")"), {}));
  const auto answers = simulate_steps(both, 2);
  SideBySide table;
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(answers[i].failure.empty());
    table.columns.push_back(compare_column(i == 0 ? "fp32" : "fp16", both[i].scenario(), answers[i].step));
  }
  CHECK(table.best() == 1);
  for (const auto& row : table.rows()) {
    if (row.quantity == "iteration_time_s") {
      CHECK(*row.values[0] == Approx(1.0).epsilon(1e-9));
      CHECK(*row.values[1] == Approx(0.65).epsilon(1e-9));
    }
    if (row.quantity == "samples_per_s") CHECK(*row.values[0] == Approx(128).epsilon(1e-9));
  }
  CHECK(compare_text(table).find("fp16: -350 ms (-35.0 %) against fp32: beta -350 ms\n") != std::string::npos);
}

TEST_CASE("where steps differ, their means are compared") {
  const auto compared = [](const std::vector<std::string>& more) {
    std::vector<Prepared> all;
    for (const std::string& each : more)
      all.push_back(prepare_changed({"x.json", R"({ "platform": { "nodes": 2, "network": { "topology": "star",
        "link": { "bandwidth": "1GB/s" } } }, "workload": { "layers": [ { "forward": "100ms", "backward": "200ms",
        "tensors": [ { "bytes": "400MB" } ] } ] }, "training": { "exchange": { "algorithm": "ring" }, )" +
                                                   each + " }"},
                                    {}));
    SideBySide table;
    const auto answers = simulate_steps(all, 1);
    for (std::size_t i = 0; i < answers.size(); ++i)
      table.columns.push_back(compare_column(i == 0 ? "a" : "b", all[i].scenario(), answers[i].step));
    return table;
  };
  // 50 ms of three steps are an outage; the last step has none of it.
  const SideBySide outage = compared({R"("iterations": 3 }, "changes": [
      { "at": "400ms", "link": "node0.up", "state": "down" }, { "at": "450ms", "link": "node0.up", "state": "up" }])",
                                      R"("iterations": 3 })"});
  CHECK(outage.best() == 1);
  CHECK_THAT(compare_text(outage), Catch::Contains("Steps differ, so the differences are of their means.\n"
                                                   "b: -16.6667 ms (-2.3 %) against a: outage -16.6667 ms\n"));
  // One of four steps, and one of three, exchanges: a cycle takes 1.6 s and 1.3 s.
  const SideBySide every = compared({R"("every": 4, "iterations": 6 })", R"("every": 3, "iterations": 6 })"});
  CHECK(every.best() == 0);
  CHECK(every.columns[0].step.mean_time == Approx(0.4).epsilon(1e-12));
  CHECK_THAT(compare_text(every), Catch::Contains("b: +33.3333 ms (+8.3 %) against a: beta +33.3333 ms\n") &&
                                      Catch::Contains("mean_iteration_breakdown.beta_s         100 ms  133.333 ms"));
  // The mean step of `a` computes for 300 ms and exchanges for 100 ms; its last step only computes.
  const ScalePoint point{"4", 2, every.columns[0].step.mean_time, {}, {}, every.columns[0].step.bounds};
  CHECK_THAT(scale_text({"training.every", 0.5, false, {point}}),
             Catch::Contains("400 ms") && Catch::Contains("compute 75.0 %, the NICs 25.0 %\n"));
}

TEST_CASE("an efficiency just below the threshold is not printed as the threshold") {
  const auto text = [](double efficiency) { return scale_text({"x", 0.5, false, {{"2", 2, 1, {}, efficiency, {}}}}); };
  CHECK_THAT(text(0.49996), Catch::Contains(" 0.49996 ") && Catch::Contains("the efficiency is below 0.5."));
  CHECK_THAT(text(0.4997), Catch::Contains("0.4997 ") && Catch::Contains("below"));
  CHECK_THAT(text(0.497), Catch::Contains("0.497 ") && Catch::Contains("below"));
  CHECK_THAT(text(0.50004), Catch::Contains("0.500 ") && Catch::Contains("never below 0.5."));
  CHECK_THAT(text(0.5 - 1e-16), Catch::Contains("0.500 ") && Catch::Contains("never below 0.5.")); // rounding alone
}

TEST_CASE("jitter costs its mean, whatever the last step takes") {
  const auto job =
      [](const std::string& platform, const std::string& exchange) {
        return prepare_changed({"x.json", R"({ "platform": { "nodes": 8, "network": { "topology": "star",
      "link": { "bandwidth": "10Gbps" } })" + platform +
                                              R"( }, "workload": { "batch": 32, "layers": [ { "forward": "50ms",
      "backward": "100ms", "tensors": [ { "bytes": "100MB" } ] } ] }, "training": { "exchange": )" +
                                              exchange + R"(, "iterations": 12 } })"},
                               {});
      };
  const std::string by_a_ring = R"({ "algorithm": "ring" })";
  std::vector<Prepared> all;
  for (const char* seed : {"1", "2", "3", "4"})
    all.push_back(job(std::string(R"(, "jitter": { "cv": 0.5, "seed": )") + seed + " }", by_a_ring));
  all.push_back(job("", by_a_ring));
  const auto answers = simulate_steps(all, 1);
  const TrainedStep& calm = answers.back().step;
  CHECK(calm.mean_time == Approx(0.29).epsilon(1e-12)); // 150 ms, and 14/8 of 80 ms
  for (std::size_t i = 0; i + 1 < answers.size(); ++i) {
    const TrainedStep& step = answers[i].step;
    CHECK(step.mean_time == Approx(step.time / 12).epsilon(1e-12));
    CHECK(step.mean_time > calm.mean_time); // each step waits for the slowest of eight
    CHECK_THAT(step.verdict, Catch::Contains("is the slowest") && Catch::Contains("(the slowest ranks: "));
  }
}

TEST_CASE("samples leave out the gradients that come too late for the servers") {
  const auto job = [](int backup) {
    return prepare_changed({"x.json", R"({ "platform": { "nodes": 4, "network": { "topology": "star",
      "link": { "bandwidth": "10Gbps" } } }, "workload": { "batch": 32, "layers": [ { "forward": "50ms",
      "backward": "100ms", "tensors": [ { "bytes": "1MB" } ] } ] }, "training": { "exchange": {
      "algorithm": "parameter_server", "servers": 1, "backup_workers": )" +
                                          std::to_string(backup) + " } } }"},
                           {})
        .scenario();
  };
  CHECK(samples_per_second(job(0), 0.5).value() == Approx(256).epsilon(1e-12));
  CHECK(samples_per_second(job(1), 0.5).value() == Approx(192).epsilon(1e-12));
}

TEST_CASE("an outage that moves the critical path away from compute is named, and counts") {
  // The second layer's 40 MB follow compute of 15 ms and wait for 20 ms: 76 ms. Otherwise compute hides them: 61 ms.
  const auto job =
      [](const std::string& rate) {
        return prepare_changed({"o.json", R"({ "platform": { "nodes": 2, "network": { "topology": "star",
        "link": { "bandwidth": ")" + rate + R"(" } } }, "workload": { "layers": [
        { "backward": "45ms", "tensors": [ { "bytes": "1MB" } ] },
        { "forward": "5ms", "backward": "10ms", "tensors": [ { "bytes": "40MB" } ] } ] },
      "training": { "exchange": { "algorithm": "ring" }, "granularity": "layer", "overlap": "layerwise",
        "iterations": 2 }, "changes": [ { "at": "20ms", "link": "node0.up", "state": "down" },
        { "at": "40ms", "link": "node0.up", "state": "up" } ] })"},
                               {});
      };
  std::vector<Prepared> both;
  both.push_back(job("1GB/s"));
  both.push_back(job("0.85GB/s"));
  const auto answers = simulate_steps(both, 1);
  CHECK_THAT(answers[0].step.verdict,
             Catch::StartsWith("Step 1 of 2 is the slowest, 76 ms (waiting for node0.up, down from 20 ms to 40 ms: 15 "
                               "ms); step 2 is the fastest, 61 ms."));
  CHECK(answers[0].step.mean_time == Approx(0.0685).epsilon(1e-12));
  CHECK(answers[1].step.mean_time == Approx((0.035 + 41 / 850.0 + 0.015 + 41 / 850.0) / 2).epsilon(1e-12));
  const Advice advice = advise({"o.json", both[0].canonical()}, {}, {.budget = 60, .jobs = 1});
  CHECK(tried_change(advice, "without the changes")->gain == Approx(15 / 137.0).epsilon(1e-9));
}

TEST_CASE("gains are of the run where a change makes steps differ") {
  // The link's outage is hidden behind the passes of 25 ms. Without them it is not: steps of 25, 10, 10, 10 and 10 ms.
  const Advice advice = advise({"h.json", R"({ "platform": { "nodes": 2, "network": { "topology": "star",
      "link": { "bandwidth": "1GB/s" } } }, "workload": { "layers": [ { "forward": "15ms", "backward": "10ms",
      "tensors": [ { "bytes": "10MB" } ] } ] }, "training": { "exchange": { "algorithm": "ring" }, "iterations": 5 },
      "changes": [ { "at": "5ms", "link": "node0.up", "state": "down" },
        { "at": "20ms", "link": "node0.up", "state": "up" } ] })"},
                               {}, {.budget = 60, .jobs = 1});
  CHECK_FALSE(advice.step.differ);
  CHECK_THAT(basis_text(advice), Catch::Equals("The steps may differ, so gains are of the whole run of 175 ms."));
  const Tried* free = tried_change(advice, "compute in no time");
  REQUIRE(free != nullptr);
  CHECK(free->seconds == free->step.time);
  CHECK(free->gain == Approx(1 - free->step.time / 0.175).epsilon(1e-12));
  CHECK(free->gain == Approx(1 - 65.0 / 175).epsilon(1e-4));
}

TEST_CASE("a codec that bounds the step may be left out, or faster") {
  const Advice advice = advise({"c.json", R"({ "platform": { "nodes": 4, "network": { "topology": "star",
      "link": { "bandwidth": "1GB/s" } } }, "workload": { "tensors": [ { "name": "g", "bytes": "100MB" } ] },
      "training": { "exchange": { "algorithm": "ring" }, "compression": { "ratio": 4, "placement": "gpu",
        "encode_bandwidth": "1GB/s", "decode_bandwidth": "1GB/s" } } })"},
                               {}, {.budget = 60, .jobs = 1});
  const Tried* without = tried_change(advice, "no compression");
  REQUIRE(without != nullptr);
  CHECK(without->step.iteration_time == Approx(0.15).epsilon(1e-9));
  CHECK(without->what.fidelity == Fidelity::exact);
  // Six messages of 6.25 MB take 37.5 ms; the codec takes the rest.
  const Tried* faster = tried_change(advice, "codec x 2");
  REQUIRE(faster != nullptr);
  CHECK(faster->step.iteration_time == Approx((advice.step.iteration_time + 0.0375) / 2).epsilon(1e-9));
}

TEST_CASE("efficiency is computing alone over the step: it stops at the fewest ranks below the threshold") {
  CHECK(*efficiency(known_scenario(), 1.0) == Approx(0.3).epsilon(1e-12));
  Scenario faster = known_scenario();
  NodeOverride& all = faster.platform.node_overrides.emplace_back();
  for (int node = 0; node < faster.platform.nodes; ++node) all.nodes.push_back(node);
  all.compute_speed = 2;
  CHECK(*efficiency(faster, 1.0) == Approx(0.15).epsilon(1e-12)); // of ranks that compute twice as fast
  Scaling scaling{"platform.nodes", 0.5, false, {}};
  scaling.points = {
      {"8", 8, 1, {}, 0.4, {}}, {"4", 4, 1, {}, 0.5, {}}, {"6", 6, 1, {}, 0.49, {}}, {"1", 1, 1, {}, {}, {}}};
  CHECK(scaling.stops_at() == 6);
  scaling.threshold = 0.3;
  CHECK_FALSE(scaling.stops_at());
}

TEST_CASE("a global batch is divided, and passes take time in proportion") {
  const auto half = with_global_batch(known_scenario(), 64);
  REQUIRE(half);
  CHECK(half->workload.batch == 8);
  CHECK(half->workload.forward() == Approx(0.05));
  CHECK(half->workload.backward() == Approx(0.1));
  CHECK_FALSE(with_global_batch(known_scenario(), 60));
}

TEST_CASE("advice: each what-if is a run with its changes, and gains what the closed form says") {
  const Advice advice = advise(known_ring(), {}, {.budget = 60, .jobs = 2});
  REQUIRE(advice.failure.empty());
  CHECK(advice.left_out == 0);
  const auto* faster = tried_change(advice, "NICs x 2");
  REQUIRE(faster != nullptr);
  CHECK(faster->gain == Approx(0.35).epsilon(1e-9));
  CHECK(tried_change(advice, "unlimited NICs")->gain == Approx(0.7).epsilon(1e-5));
  CHECK(tried_change(advice, "compute in no time")->gain == Approx(0.3).epsilon(1e-5));
  CHECK(tried_change(advice, "no latency") == nullptr);         // the platform has no latency
  CHECK(tried_change(advice, "onebit on the wire") == nullptr); // a ring does not support residuals
  for (const Tried& t : advice.tried) {
    INFO(t.what.change);
    const Prepared again = prepare_changed(known_ring(), {t.what.sets(), {}, {}});
    CHECK(simulate(again).iteration_time == t.step.iteration_time);
    CHECK(t.gain == Approx(1 - t.step.iteration_time / advice.step.iteration_time).epsilon(1e-12));
  }
  for (std::size_t i = 1; i < advice.tried.size(); ++i)
    if (advice.tried[i - 1].what.fidelity == advice.tried[i].what.fidelity)
      CHECK(advice.tried[i - 1].gain >= advice.tried[i].gain);
}

TEST_CASE("advice without time for what-ifs says how many it left out") {
  const Advice advice = advise(known_ring(), {}, {.budget = 0, .jobs = 1});
  CHECK(advice.failure.empty());
  CHECK(advice.tried.empty());
  CHECK(advice.left_out > 10);
}

TEST_CASE("NICs alone leave uplinks as they are, and the other way round, on every topology") {
  const std::vector<std::string> networks = {
      R"("topology": "racks", "racks": { "nodes_per_rack": 4, "oversubscription": 4 })",
      R"("topology": "racks", "racks": { "nodes_per_rack": 4, "uplink": { "bandwidth": "2GB/s" } })",
      R"("topology": "fat_tree", "fat_tree": { "levels": [ { "down": 4 }, { "down": 2 } ] })",
      R"("topology": "dragonfly", "dragonfly": { "groups": 2, "routers": 2, "nodes": 2 })"};
  for (const std::string& network : networks) {
    const ScenarioSource source{"n.json", R"({ "platform": { "nodes": 8, "network": { )" + network +
                                              R"(, "link": { "bandwidth": "1GB/s", "latency": "1us" } } },
      "workload": { "tensors": [ { "bytes": "4MB" } ] }, "training": { "exchange": { "algorithm": "ring" } } })"};
    INFO(network);
    const Prepared before = prepare_changed(source, {});
    for (const WhatIf& what : what_ifs(before.scenario(), before.canonical())) {
      const bool nics = what.change == "NICs x 2", uplinks = what.change == "uplinks x 2",
                 both = what.change == "NICs and uplinks x 2";
      if (!nics && !uplinks && !both) continue;
      const Prepared after = prepare_changed(source, {what.sets(), {}, {}});
      for (std::size_t l = 0; l < before.platform().links().size(); ++l) {
        const DirectedLink& old = before.platform().links()[l];
        const Bounding part = bounding_of(old.role.tier, before.scenario());
        const bool faster = both || (nics && part == Bounding::nic) || (uplinks && part == Bounding::uplink);
        INFO(what.change << " " << old.name);
        const bool own_uplink = network.find("uplink") != std::string::npos && both && part == Bounding::uplink;
        CHECK(after.platform().links()[l].bandwidth == Approx(old.bandwidth * (faster || own_uplink ? 2 : 1)));
      }
    }
  }
}
