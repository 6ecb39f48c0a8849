// Results of `run --json` as columns of a comparison: a result contains the values of the run.
#include "analysis/explore/answers/recorded_steps.hpp"

#include "analysis/explore/answers/compare.hpp"
#include "analysis/run/evaluate.hpp"
#include "analysis/run/files/result_json.hpp"
#include "scenarios/language/decode/model_version.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::testing;
using gradflight::test::TemporaryDirectory;

namespace {

std::vector<std::string> mistakes_of(const std::string& text) {
  try {
    recorded_steps({"r.json", text});
  } catch (const InputErrors& errors) {
    std::vector<std::string> all;
    for (const Diagnostic& error : errors.diagnostics()) all.push_back(format(error));
    return all;
  }
  return {};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("a result is read with every number that the step of its run has") {
  Outcome outcome = outcome_with_everything();
  for (std::size_t i = 0; i < outcome.result.iteration_path.size(); ++i)
    outcome.result.iteration_path[i] = 1.0 / static_cast<double>(3 + i);
  explain(outcome, build_platform(outcome.scenario.platform, 0));
  const TrainedStep step = step_of(Prepared(outcome.scenario), outcome.result);
  const std::string text = result_json(outcome);
  for (const std::string& shown : {text, "\n " + text, json_list({text})}) {
    const auto read = recorded_steps({"r.json", shown});
    REQUIRE(read);
    REQUIRE(read->size() == 1);
    CHECK(read->front().name == "example");
    const TrainedStep& found = read->front().step;
    CHECK(found.time == step.time);
    CHECK(found.iteration_time == step.iteration_time);
    CHECK(found.compute_time == step.compute_time);
    CHECK(found.communication_time == step.communication_time);
    CHECK(found.exposed_communication_time == step.exposed_communication_time);
    CHECK(found.messages == step.messages);
    CHECK(found.wire_bytes == step.wire_bytes);
    CHECK(found.mean_path == step.mean_path);
    CHECK(found.own_pace);
    CHECK(found.mean_time == step.mean_time);
    CHECK(found.cost() == step.cost());
    CHECK(found.verdict == outcome.verdict);
    REQUIRE(found.bounds.size() == step.bounds.size());
    for (std::size_t i = 0; i < step.bounds.size(); ++i) {
      CHECK(found.bounds[i].what == step.bounds[i].what);
      CHECK(found.bounds[i].share == step.bounds[i].share);
      CHECK(found.bounds[i].noun() == step.bounds[i].noun());
    }
    SideBySide table{{{"ran", step}, {"read", found}}};
    CHECK(compare_text(table).find("read: as ran\n") != std::string::npos);
  }
}

TEST_CASE("a recorded result has the mean step of those that differ") {
  // One of 4 steps exchanges 400 MB of 2 nodes at 1 GB/s: 3 x 300 ms + 700 ms = 4 x 400 ms. The whole run of 7 steps
  // takes 2.5 s, and its last step 300 ms.
  const ScenarioSource source{"x.json", R"({ "platform": { "nodes": 2, "network": { "topology": "star",
      "link": { "bandwidth": "1GB/s" } } }, "workload": { "layers": [ { "forward": "100ms", "backward": "200ms",
      "tensors": [ { "bytes": "400MB" } ] } ] }, "training": { "exchange": { "algorithm": "ring" }, "every": 4,
      "iterations": 7 } })"};
  const auto read = recorded_steps({"r.json", result_json(evaluate(prepare_changed(source, {})))});
  REQUIRE(read);
  const TrainedStep& found = read->front().step;
  CHECK(found.differ);
  CHECK(found.mean_time == Approx(0.4).epsilon(1e-12));
  CHECK(at(found.mean_path, Part::beta) == Approx(0.1).epsilon(1e-12));
  REQUIRE(found.bounds.size() == 2);
  CHECK(found.bounds[0].what == Bounding::compute);
  CHECK(found.bounds[0].share == Approx(0.75).epsilon(1e-12));
  CHECK_THAT(found.verdict, Catch::EndsWith("Compute bounds the step: 100.0 % of 300 ms."));
}

TEST_CASE("a list has a column for each result, and a scenario is no result") {
  const std::string one = result_json(example_outcome());
  CHECK(recorded_steps({"r.json", json_list({one, one, one})})->size() == 3);
  CHECK_FALSE(recorded_steps({"s.json", R"({ "platform": { "nodes": 2 } })"}));
  CHECK_FALSE(recorded_steps({"s.json", ""}));
  const TemporaryDirectory folder;
  folder.write("r.json", one);
  CHECK(recorded_steps({folder.path("r.json"), {}})->front().name == "example");
  CHECK_FALSE(recorded_steps({folder.path("none.json"), {}}));
}

TEST_CASE("a result that cannot be compared is refused with its place and a remedy") {
  const std::string good = result_json(example_outcome());
  using Mistakes = std::vector<std::string>;
  CHECK(mistakes_of(good).empty());
  const std::string again = "run its scenario again with this version (gradflight run SCENARIO --json)";
  CHECK(mistakes_of(replaced(good, std::string(model_version), "gradflight-model-0")) ==
        Mistakes{fmt::format("r.json:4:20: /model_version: gradflight-model-0 wrote this result, and this version of "
                             "gradflight has {}: their times cannot be compared; {}",
                             model_version, again)});
  CHECK(mistakes_of(replaced(good, fmt::format("  \"model_version\": \"{}\",\n", model_version), "")) ==
        Mistakes{"r.json:1:1: the result has no model_version: an older version wrote it; " + again});
  CHECK(mistakes_of(replaced(good, "\"messages\": 48", "\"messages\": \"48\"")).size() == 1);
  const auto negative = mistakes_of(replaced(good, "\"messages\": 48", "\"messages\": -48"));
  REQUIRE(negative.size() == 1);
  CHECK_THAT(negative[0], Catch::EndsWith(": /messages: expected a number of at least 0, got -48: the result was "
                                          "changed; " +
                                          again));
  CHECK(mistakes_of(replaced(good, "\"communication_time_s\"", "\"communication\"")) ==
        Mistakes{"r.json:1:1: \"communication_time_s\" is missing: the result is incomplete; " + again});
  const std::string what = example_outcome().bounds.empty() ? "" : bounding_name(example_outcome().bounds[0].what);
  const std::vector<std::string> unknown =
      mistakes_of(replaced(good, fmt::format("\"what\": \"{}\"", what), "\"what\": \"gravity\""));
  REQUIRE(unknown.size() == 1);
  CHECK(unknown[0].ends_with("/bound_by/0/what: \"gravity\" is not a cause that results name; " + again));
  CHECK(mistakes_of(good.substr(0, good.size() / 2)).size() == 1); // output of a pipe that ended early
  CHECK(mistakes_of(result_json(outcome_of_jobs())).size() == 1);
  CHECK(mistakes_of(json_list({good, failed_run_json({"stuck", "deadlock at 1 s"})})).size() == 1);
  CHECK(mistakes_of(json_list({good, "7\n"})) ==
        Mistakes{"r.json:" + std::to_string(1 + std::ranges::count(good, '\n') + 1) +
                 ":1: /1: expected a result as `gradflight run --json` prints it, got the number 7"});
}
