#include "analysis/run/files/json_text.hpp"
#include "analysis/run/files/result_json.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

using namespace gradflight;
using Json = nlohmann::ordered_json;

TEST_CASE("the result object has the contract's names, in the contract's order") {
  const Json object = Json::parse(result_json(testing::example_outcome()));
  const std::vector<std::string> wanted = {"scenario",
                                           "id",
                                           "engine",
                                           "time_s",
                                           "iteration_time_s",
                                           "compute_time_s",
                                           "communication_time_s",
                                           "exposed_communication_time_s",
                                           "messages",
                                           "payload_bytes",
                                           "wire_bytes",
                                           "closed_form",
                                           "breakdown",
                                           "iterations",
                                           "links"};
  std::vector<std::string> found;
  for (const auto& item : object.items())
    if (std::find(wanted.begin(), wanted.end(), item.key()) != wanted.end()) found.push_back(item.key());
  CHECK(found == wanted);
  CHECK(object["scenario"] == "example");
  CHECK(object["messages"] == 48);
  CHECK(object["closed_form"]["name"] == "ring_allreduce");
  CHECK(object["closed_form"]["relative_error"] == 0);
  CHECK(object["closed_form"]["cause"].is_null());
  CHECK(object["closed_form"]["assumptions"][1] ==
        Json{{"id", "one_stream"}, {"text", "no overlap"}, {"holds", true}, {"detail", ""}});
  CHECK(object["iterations"].size() == 2);
  CHECK(object["links"][0]["utilisation"].get<double>() == Approx(12e6 / (1.25e9 * 0.1721)));
}

TEST_CASE("the breakdown's parts sum to the time") {
  const auto outcome = testing::example_outcome();
  const Json object = Json::parse(result_json(outcome));
  double whole = 0, last = 0;
  for (const auto& item : object["breakdown"].items()) whole += item.value().get<double>();
  for (const auto& item : object["iteration_breakdown"].items()) last += item.value().get<double>();
  CHECK(object["breakdown"].size() == part_count);
  CHECK(whole == Approx(outcome.result.time).epsilon(1e-12));
  CHECK(last == Approx(outcome.result.iteration_time).epsilon(1e-12));
}

TEST_CASE("byte counts are integers in JSON") {
  auto outcome = testing::example_outcome();
  CHECK(Json::parse(result_json(outcome))["wire_bytes"].is_number_integer());
  outcome.result.wire_bytes = 0.5;
  CHECK(Json::parse(result_json(outcome))["wire_bytes"] == 0.5);
}

TEST_CASE("two writings of one outcome are the same bytes") {
  CHECK(result_json(testing::example_outcome()) == result_json(testing::example_outcome()));
}

TEST_CASE("without a form the result says why") {
  auto outcome = testing::example_outcome();
  outcome.form = {{}, "asynchronous servers"};
  const Json object = Json::parse(result_json(outcome));
  CHECK(object["closed_form"].is_null());
  CHECK(object["closed_form_missing"] == "asynchronous servers");
}

TEST_CASE("a failed assumption is the cause: an unexplained residual says so") {
  auto outcome = testing::example_outcome();
  outcome.form.form->terms.time *= 2;
  CHECK(Json::parse(result_json(outcome))["closed_form"]["cause"] == "unexplained");
  CHECK(Json::parse(result_json(outcome))["closed_form"]["relative_error"] == -0.5);
  outcome.form.form->assumptions[0] = {AssumptionId::links_alike, "all links alike", false, "node3 has 1 Gbps"};
  const auto cause = Json::parse(result_json(outcome))["closed_form"]["cause"].get<std::string>();
  CHECK(cause.find("all links alike") != std::string::npos);
}

TEST_CASE("the paper's own form stands beside the gated one") {
  auto outcome = testing::example_outcome();
  outcome.form.form->paper =
      PaperForm{"inceptionn_wa", "INCEPTIONN Sec. 4", "counts the root's port once", {7, 1, 2, 4, 0, 0}};
  const Json paper = Json::parse(result_json(outcome))["closed_form"]["paper_form"];
  CHECK(paper["name"] == "inceptionn_wa");
  CHECK(paper["time_s"] == 7);
  CHECK(paper["gamma_s"] == 4);
}

TEST_CASE("iterations beyond the bound keep the first and the last, and say how many are left out") {
  auto outcome = testing::example_outcome();
  outcome.result.iterations.clear();
  for (int i = 1; i <= 12'345; ++i) outcome.result.iterations.push_back({static_cast<double>(i), {}});
  const Json object = Json::parse(result_json(outcome));
  CHECK(object["iteration_count"] == 12'345);
  CHECK(object["iterations_omitted"] == 2'345);
  REQUIRE(object["iterations"].size() == 10'000);
  CHECK(object["iterations"][4'999]["iteration"] == 4'999);
  CHECK(object["iterations"][5'000]["iteration"] == 7'345);
  CHECK(object["iterations"][5'000]["time_s"] == 1);
  CHECK(object["iterations"].back()["end_s"] == 12'345);
}

TEST_CASE("iterations of several phases name theirs") {
  auto outcome = testing::example_outcome();
  outcome.scenario.phases.insert(outcome.scenario.phases.begin(), outcome.scenario.phases.front());
  outcome.scenario.phases[0].name = "warm-up";
  outcome.scenario.phases[0].training.iterations = 1;
  const Json object = Json::parse(result_json(outcome));
  CHECK(object["iterations"][0]["phase"] == "warm-up");
  CHECK(object["iterations"][1]["phase"] == "main");
}

TEST_CASE("JSON text is laid out with scalars on one line") {
  const Json value = {
      {"a", 0.1}, {"b", {{"c", 1}, {"d", {1, 2.5}}}}, {"e", Json::array()}, {"f", {{"x", 1}, {"y", "z"}}}};
  CHECK(json_text(value) == "{\n  \"a\": 0.1,\n  \"b\": {\n    \"c\": 1,\n    \"d\": [1, 2.5]\n  },\n  \"e\": [],\n"
                            "  \"f\": { \"x\": 1, \"y\": \"z\" }\n}\n");
  CHECK(json_text(Json(std::numeric_limits<double>::infinity())) == "null\n");
}

TEST_CASE("doubles read back to the same bits") {
  REQUIRE(rc::check("json_text(double)", [](double number) {
    RC_PRE(std::isfinite(number));
    RC_ASSERT(Json::parse(json_text(Json(number))).get<double>() == number);
  }));
}
