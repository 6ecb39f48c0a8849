// Comparison, scaling and advice for jobs whose parts fail.
#include "analysis/explore/answers/compare.hpp"
#include "analysis/explore/answers/scale.hpp"
#include "analysis/run/evaluate.hpp"
#include "base/human.hpp"
#include "tests/analysis/explore/advice/advice_cases.hpp"

#include <optional>

using namespace gradflight;

TEST_CASE("with failures that are waited for, a step costs what it takes in the run") {
  for (const int iterations : {19, 100}) {
    const ScenarioSource source{"f.json", fmt::format(R"({{ "platform": {{ "nodes": 4, "network": {{
        "topology": "star", "link": {{ "bandwidth": "1GB/s" }} }} }}, "workload": {{ "layers": [ {{ "forward": "10ms",
        "backward": "20ms", "tensors": [ {{ "bytes": "50MB" }} ] }} ] }},
      "training": {{ "exchange": {{ "algorithm": "ring" }}, "iterations": {} }},
      "failures": {{ "nodes": {{ "mtbf": "8s", "mttr": "100ms", "repair": "constant" }} }} }})",
                                                      iterations)};
    std::vector<Prepared> one;
    one.push_back(prepare_changed(source, {}));
    const TrainedStep step = simulate_steps(one, 1).front().step;
    CHECK_THAT(step.verdict, Catch::Contains("is the slowest"));
    CHECK(step.cost() == Approx(step.time / iterations).epsilon(1e-9));
  }
}

TEST_CASE("scale and compare count the time that failures cost") {
  const auto job = [](int spares) {
    return prepare_changed({"f.json", fmt::format(R"({{ "platform": {{ "nodes": 16, "network": {{ "topology": "star",
        "link": {{ "bandwidth": "8Gbps" }} }} }}, "workload": {{ "batch": 8, "layers": [ {{ "forward": "400ms",
        "backward": "500ms", "tensors": [ {{ "bytes": "4MB" }} ] }} ] }},
      "training": {{ "exchange": {{ "algorithm": "ring" }}, "iterations": 500 }},
      "failures": {{ "nodes": {{ "mtbf": "2000s", "mttr": "60s" }}, "seed": 1 }},
      "recovery": {{ "policy": "restart", "restart": "30s", "detection": "10s", "spares": {},
        "checkpoint": {{ "every": 20, "write": "2s", "read": "2s" }} }} }})",
                                                  spares)},
                           {});
  };
  std::vector<Prepared> both;
  both.push_back(job(0));
  both.push_back(job(4));
  const auto answers = simulate_steps(both, 1);
  SideBySide table;
  for (std::size_t i = 0; i < 2; ++i)
    table.columns.push_back(compare_column(i == 0 ? "none" : "four", both[i].scenario(), answers[i].step));
  // A step takes 900 ms and 30 blocks of 250 KB; checkpoints and failures take the rest of the run.
  for (const CompareColumn& column : table.columns) {
    CHECK(column.step.mean_time == Approx(0.9075).epsilon(1e-12));
    CHECK(column.step.cost() == Approx(column.step.time / 500).epsilon(1e-9));
    CHECK(*column.samples_per_s == Approx(16 * 8 * 500 / column.step.time).epsilon(1e-9));
  }
  CHECK(table.best() == 1);
  const double less = (table.columns[1].step.time - table.columns[0].step.time) / 500;
  CHECK_THAT(compare_text(table),
             Catch::Contains(fmt::format("four: -{} ", human_seconds(-less))) && Catch::Contains("\ngoodput ") &&
                 Catch::Contains(fmt::format("against none: failures -{}\n", human_seconds(-less))));
  const ScalePoint point = scale_point("16", both[0].scenario(), answers[0].step);
  CHECK(*point.efficiency == Approx(0.9 * 500 / answers[0].step.time).epsilon(1e-9));
  CHECK_THAT(scale_text({"platform.nodes", 0.5, false, {point}}),
             Catch::Contains("Samples/s and efficiency count failures. Goodput: "));
}

TEST_CASE("with failures changes are told by what a step costs in the course of a job") {
  const ScenarioSource source{"f.json", R"({ "platform": { "nodes": 4, "network": { "topology": "star",
      "link": { "bandwidth": "1GB/s" } } },
    "workload": { "parameters": "1M", "layers": 2, "step": "100ms" },
    "training": { "exchange": { "algorithm": "ring" }, "iterations": 20000 },
    "failures": { "nodes": { "mtbf": "30min", "mttr": "1s" }, "seed": 3, "repeats": 4 },
    "recovery": { "policy": "restart", "checkpoint": { "every": 2000, "write": "2s" }, "restart": "10s",
      "detection": "5s" } })"};
  const Advice advice = advise(source, {}, {.budget = 60, .jobs = 1});
  REQUIRE(advice.failure.empty());
  REQUIRE(advice.step.goodput.has_value());
  CHECK(advice.step.cost() == Approx(advice.step.iteration_time / *advice.step.goodput));
  const auto gain_of = [&](const char* change) {
    const Tried* tried = test::find(advice, change);
    INFO(change);
    REQUIRE(tried != nullptr);
    CHECK(tried->gain == Approx(1 - tried->step.cost() / advice.step.cost()).epsilon(1e-12));
    return tried->gain;
  };
  const auto best =
      fmt::format("a checkpoint every {} iterations, the best of those tried", advice.step.best_checkpoint.value());
  CHECK(gain_of(best.c_str()) > 0.05);
  CHECK(gain_of("failures half as often") > 0.02);
  CHECK(gain_of("restart in half the time") > 0);
  CHECK(gain_of("asynchronous checkpoints") > 0);
  CHECK(gain_of("no failures and no checkpoints") ==
        Approx(1 - *advice.step.goodput).epsilon(1e-9)); // what failures cost, no more
  CHECK_THAT(advice_text(advice),
             Catch::Contains("Mean goodput ") && Catch::Contains("--set recovery.checkpoint.every="));
  CHECK_THAT(advice_json(advice), Catch::Contains("\"goodput\""));
}

TEST_CASE("where links fail and there is another way, it is offered and helps, but not on a star, which has none") {
  const auto gain_on = [](const std::string& network) -> std::optional<double> {
    const ScenarioSource source{"f.json", R"({ "platform": { "nodes": 16, "network": { )" + network + R"(,
      "link": { "bandwidth": "25Gbps", "latency": "1us" } } },
    "workload": { "tensors": [{ "bytes": "100MB" }] },
    "training": { "exchange": { "algorithm": "ring" }, "iterations": 40 },
    "failures": { "links": { "mtbf": "30s", "mttr": "200ms" }, "seed": 1 } })"};
    const Prepared before = prepare_changed(source, {});
    for (const WhatIf& what : what_ifs(before.scenario(), before.canonical())) {
      if (what.change != "messages avoid components that are down") continue;
      return 1 - simulate(prepare_changed(source, {what.sets(), {}, {}})).time / simulate(before).time;
    }
    return std::nullopt;
  };
  const auto around = gain_on(R"("topology": "fat_tree", "fat_tree": { "levels": [ { "down": 4, "up": 1 },
    { "down": 4, "up": 2 } ] })");
  REQUIRE(around);
  CHECK(*around > 0.01);
  CHECK_FALSE(gain_on(R"("topology": "star")"));
}
