// Workers that do not wait for each other, worked by hand: each counts with the rate that it reaches.
#include "analysis/explore/advice/advice.hpp"
#include "analysis/explore/answers/compare.hpp"
#include "analysis/explore/answers/scale.hpp"
#include "tests/analysis/explore/advice/advice_cases.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using gradflight::test::gain_of;

namespace {

/// Four workers of batch 32 with passes of 100 ms at speed 1 and messages that take next to no time. `overrides` slows
/// nodes down; `training` follows the algorithm of the exchange.
ScenarioSource paced_job(const std::string& overrides, const std::string& training, const std::string& more = "") {
  return {"job.json",
          fmt::format(R"({{ "platform": {{ "nodes": 4, "overrides": [ {} ], "network": {{ "topology": "star",
      "link": {{ "bandwidth": "100GB/s" }} }} }}, "workload": {{ "batch": 32, "layers": [ {{ "forward": "40ms",
      "backward": "60ms", "tensors": [ {{ "bytes": "4B" }} ] }} ] }},
      "training": {{ "exchange": {{ "algorithm": "parameter_server"{}{} }})",
                      overrides, training, more)};
}

const std::string one_slow = R"({ "nodes": 3, "compute_speed": 0.25 })", two_slow = one_slow + R"(,
    { "nodes": 2, "compute_speed": 0.5 })";
const std::string asynchronous = R"(, "consistency": "asynchronous" })";

std::string iterations(int count) { return fmt::format(R"(, "iterations": {})", count); }

std::string bounded(int staleness) {
  return fmt::format(R"(, "consistency": "bounded_staleness", "staleness_bound": {} }})", staleness);
}

CompareColumn step_column(const ScenarioSource& source, const std::vector<std::string>& sets = {}) {
  std::vector<Prepared> one;
  one.push_back(prepare_one_job(source, sets));
  const StepAnswer answer = simulate_steps(one, 1).front();
  REQUIRE(answer.failure.empty());
  return compare_column("column", one.front().scenario(), answer.step);
}

double samples(const ScenarioSource& source, const std::vector<std::string>& sets = {}) {
  return step_column(source, sets).samples_per_s.value();
}

/// Returns 32 samples of three workers every 100 ms and of one every 400 ms, per second.
Approx of_one_slow() { return Approx(32 * (3 / 0.1 + 1 / 0.4)).epsilon(1e-6); }

} // namespace

TEST_CASE("asynchronous workers count with their own rates, however long the run") {
  for (const char* engine : {"hybrid", "simgrid"})
    for (const int count : {1, 2, 3, 10, 21}) {
      INFO(engine << ", iterations: " << count);
      CHECK(samples(paced_job(one_slow, asynchronous + iterations(count) + " }"), {fmt::format("engine={}", engine)}) ==
            of_one_slow());
    }
  CHECK(samples(paced_job(two_slow, asynchronous + iterations(20) + " }")) ==
        Approx(32 * (2 / 0.1 + 1 / 0.2 + 1 / 0.4)).epsilon(1e-6));
  // Synchronous workers wait for the slowest; equal ones wait for none.
  CHECK(samples(paced_job(one_slow, R"( })" + iterations(20) + " }")) == Approx(4 * 32 / 0.4).epsilon(1e-6));
  CHECK(samples(paced_job("", asynchronous + iterations(20) + " }")) == Approx(4 * 32 / 0.1).epsilon(1e-6));
}

TEST_CASE("a worker at the bound of its staleness counts with the rate of the slowest") {
  for (const char* engine : {"hybrid", "simgrid"})
    for (const int count : {4, 10, 40}) {
      INFO(engine << ", iterations: " << count);
      const std::vector<std::string> sets = {fmt::format("engine={}", engine)};
      CHECK(samples(paced_job(one_slow, bounded(2) + iterations(count) + " }"), sets) ==
            Approx(4 * 32 / 0.4).epsilon(1e-6));
      if (count > 4) // until then, worker 2 runs ahead
        CHECK(samples(paced_job(two_slow, bounded(2) + iterations(count) + " }"), sets) ==
              Approx(4 * 32 / 0.4).epsilon(1e-6));
      // Nobody reaches this bound: the fastest workers end first.
      CHECK(samples(paced_job(one_slow, bounded(100) + iterations(count) + " }"), sets) == of_one_slow());
    }
}

TEST_CASE("local steps and accumulation and pipelines keep the rates of asynchronous workers") {
  for (const int count : {7, 12, 24}) {
    INFO("iterations: " << count);
    CHECK(samples(paced_job(one_slow, asynchronous + iterations(count) + R"(, "every": 3 })")) == of_one_slow());
    CHECK(samples(paced_job(one_slow, asynchronous + iterations(count) + R"(, "accumulation": 2 })")) == of_one_slow());
    CHECK(samples(paced_job(one_slow, asynchronous + iterations(count) + R"(, "overlap": { "pipelined": 2 } })")) ==
          of_one_slow());
  }
  CHECK(samples(paced_job(one_slow, asynchronous + iterations(2) + R"(, "every": 3 })")) == of_one_slow());
}

TEST_CASE("messages that share the server's link slow asynchronous workers down") {
  // Equal workers stay in step. They compute for 250 ms and push 3 x 125 MB at 1 GB/s; the answers take as long.
  const ScenarioSource source{"shared.json", R"({ "platform": { "nodes": 3, "network": { "topology": "star",
      "link": { "bandwidth": "1GB/s" } } }, "workload": { "batch": 32, "layers": [ { "forward": "125ms",
      "backward": "125ms", "tensors": [ { "bytes": "125MB" } ] } ] }, "training": { "exchange": {
      "algorithm": "parameter_server", "consistency": "asynchronous" }, "iterations": 8 } })"};
  CHECK(samples(source) == Approx(3 * 32 / 1.0).epsilon(1e-9));
}

TEST_CASE("compare and scale and results in files count the mean step of asynchronous workers") {
  const ScenarioSource source = paced_job(one_slow, asynchronous + iterations(20) + " }");
  SideBySide table{{step_column(paced_job(one_slow, R"( })" + iterations(20) + " }")), step_column(source)}};
  table.columns[0].name = "synchronous";
  table.columns[1].name = "asynchronous";
  CHECK(table.best() == 1);
  const double step = 4 / 32.5; // seconds, for 4 of 32.5 iterations per second
  CHECK(table.columns[1].step.cost() == Approx(step).epsilon(1e-6));
  CHECK_THAT(compare_text(table),
             Catch::Contains("asynchronous: -276.923 ms (-69.2 %) against synchronous: compute -276.923 ms") &&
                 Catch::Contains("asynchronous workers complete one iteration each, on average.") &&
                 Catch::Contains("mean_iteration_time_s"));
  const ScalePoint point = scale_point("4", prepare_one_job(source, {}).scenario(), table.columns[1].step);
  CHECK(point.iteration_time == Approx(step).epsilon(1e-6));
  CHECK(point.samples_per_second.value() == of_one_slow());
  CHECK(point.efficiency.value() == Approx(1040.0 / 1280).epsilon(1e-6));
}

TEST_CASE("a change of asynchronous workers gains what it adds to their rates") {
  const Advice advice =
      advise(paced_job(one_slow, asynchronous + iterations(20) + " }"), {}, {.budget = 60, .jobs = 1});
  CHECK(gain_of(advice, "no stragglers") == Approx(1 - 0.1 / (4 / 32.5)).epsilon(1e-5)); // 18.75 %
  CHECK(gain_of(advice, "ring") == Approx(1 - 0.4 / (4 / 32.5)).epsilon(1e-5));          // it waits for the slowest
  CHECK_THAT(advice_text(advice), Catch::Contains("\nWorkers do not wait for each other: they complete one iteration "
                                                  "each in 123.077 ms on average; gains are relative to that.\n"));
  CHECK_THAT(advice_json(advice), Catch::Contains("\"gains_of\": \"mean_iteration\""));
}

TEST_CASE("a change during the run of asynchronous workers counts as long as it lasts") {
  // The first workers end after 2 s. By 1.9 s, worker 3 has completed 9 iterations of 100 ms and 5 of 200 ms.
  const ScenarioSource source = paced_job("", asynchronous + iterations(20) + " }", R"(, "changes": [
      { "at": "900ms", "nodes": 3, "compute_speed": 0.5 } ])");
  const Advice advice = advise(source, {}, {.budget = 60, .jobs = 1});
  CHECK(advice.step.mean_time == Approx(4 / (30 + 14 / 1.9)).epsilon(1e-6));
  CHECK(gain_of(advice, "no stragglers") == Approx(1 - 0.1 / (4 / (30 + 14 / 1.9))).epsilon(1e-5));
  CHECK_THAT(basis_text(advice), Catch::Contains("in 107.042 ms on average over the whole run"));
  const std::string json = advice_json(advice);
  for (const char* key : {"\"time_s\"", "\"mean_iteration_time_s\"", "\"gains_of\": \"mean_iteration\""})
    CHECK_THAT(json, Catch::Contains(key));
}

TEST_CASE("failures that asynchronous workers wait for cost their share of the mean step") {
  const CompareColumn calm = step_column(paced_job(one_slow, asynchronous + iterations(40) + " }"));
  const CompareColumn failing = step_column(paced_job(one_slow, asynchronous + iterations(40) + " }", R"(, "failures": {
      "nodes": { "mtbf": "8s", "mttr": "500ms", "repair": "constant" } })"));
  REQUIRE(failing.step.goodput);
  CHECK(*failing.step.goodput < 0.99);
  CHECK(*failing.samples_per_s == Approx(*calm.samples_per_s * *failing.step.goodput).epsilon(1e-9));
}
