#include "analysis/run/result/fields/quantity.hpp"
#include "platforms/code/platform.hpp"
#include "sim/result/result.hpp"

#include "analysis/run/files/result_json.hpp"
#include "analysis/run/result/comparison.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace gradflight;
using Json = nlohmann::ordered_json;

namespace {

struct Example {
  Outcome outcome = testing::example_outcome();
  Platform platform = build_platform(outcome.scenario.platform, 0);
  explicit Example(bool everything = false) { // with the links of this platform
    if (everything) outcome = testing::outcome_with_everything();
    auto& links = outcome.result.links;
    links.clear();
    for (const auto& link : platform.links())
      links.push_back({link.name, 1e6 * static_cast<double>(links.size() + 1), 0.01, link.bandwidth});
  }
  [[nodiscard]] std::string error(const std::string& name) const {
    return find_quantity(name, outcome.scenario, platform).error;
  }
  [[nodiscard]] std::optional<double> value(const std::string& name) const {
    INFO(name << ": " << error(name));
    const auto lookup = find_quantity(name, outcome.scenario, platform);
    REQUIRE(lookup.read);
    return lookup.read(outcome);
  }
};

/// Collects every number of the object with its path; links have their names.
void collect(const Json& value, const std::string& path, std::vector<std::pair<std::string, double>>& found) {
  if (value.is_number()) found.emplace_back(path, value.get<double>());
  const std::string prefix = path.empty() ? "" : path + '.';
  if (value.is_object())
    for (const auto& [key, item] : value.items()) collect(item, prefix + key, found);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      collect(value[i], prefix + (path == "links" ? value[i]["name"].get<std::string>() : std::to_string(i)), found);
}

} // namespace

TEST_CASE("every number of the result object is a quantity with the same value") {
  const Example example(true);
  std::vector<std::pair<std::string, double>> numbers;
  collect(Json::parse(result_json(example.outcome)), "", numbers);
  CHECK(numbers.size() > 90);
  for (const auto& [name, value] : numbers) {
    // This kind of ring has no such form, so the name is rejected beforehand.
    if (name.starts_with("closed_form.paper_form.")) continue;
    INFO(name);
    CHECK(example.value(name) == value);
  }
}

TEST_CASE("an unknown quantity is answered with the nearest one") {
  const Example example;
  using Catch::Contains;
  CHECK_THAT(example.error("tim_s"), Contains("\"tim_s\" is not a number of the result; did you mean \"time_s\"? "));
  CHECK_THAT(example.error("breakdown.beta"), Contains("did you mean \"beta_s\"?"));
  CHECK_THAT(example.error("breakdwn.beta_s"), Contains("did you mean \"breakdown.beta_s\"?"));
  CHECK_THAT(example.error("link.node0.up.busy_s"), Contains("did you mean \"links.node0.up.busy_s\"?"));
  CHECK_THAT(example.error("links.node0.upp.busy_s"),
             Contains("unknown link \"node0.upp\"; did you mean \"node0.up\"?"));
  CHECK_THAT(example.error("links.node0.up.busy"), Contains("did you mean \"busy_s\"?"));
  CHECK_THAT(example.error("links"),
             Contains("\"\" is not a number of \"links.LINK\". Allowed: bandwidth_bytes_per_s, "));
  CHECK_THAT(example.error("closed_form.tme_s"), Contains("did you mean \"time_s\"?"));
  CHECK_THAT(example.error("iterations.0.ends"), Contains("did you mean \"end_s\"?"));
  CHECK_THAT(example.error("iterations.0"), Contains("Allowed: iteration, end_s, time_s"));
  CHECK_THAT(example.error("scenario"), Contains("\"scenario\" is not a number of the result"));
  CHECK_THAT(example.error("closed_form.name"), Contains("\"name\" is not a number of \"closed_form\""));
  CHECK_THAT(example.error("time_s.x"), Contains("did you mean \"time_s\"?"));
  for (const char* number : {"2", "-1", "", "x", "1x", "99999999999999999999"})
    CHECK_THAT(example.error(std::string("iterations.") + number + ".end_s"),
               Contains("the result has iterations 0 to 1"));
  CHECK_THAT(example.error(""), Contains("is not a number of the result"));
}

TEST_CASE("what no run of a scenario has is told before it runs") {
  Example example(true);
  CHECK(example.error("data.push.ratio").empty());
  CHECK_THAT(example.error("closed_form.paper_form.time_s"), Catch::Contains("no paper prints a form other than"));
  auto& training = example.outcome.scenario.phases.back().training;
  training.compression.tensors.directory.clear();
  CHECK_THAT(example.error("data.aggregate_bias"), Catch::Contains("no real gradients (training.compression.tensors)"));
  example.outcome.scenario.phases.erase(example.outcome.scenario.phases.begin());
  auto& main = example.outcome.scenario.phases.back().training;
  main.exchange.algorithm = Algorithm::parameter_server;
  main.exchange.consistency = Consistency::asynchronous;
  main.exchange.pull = Pull::binomial;
  CHECK_THAT(example.error("closed_form.time_s"), Catch::StartsWith("this scenario has no closed form: "));
}

TEST_CASE("links go by their names, which may hold dots, and by numbers") {
  const Example example;
  CHECK(example.value("links.node0.up.bytes") == 1e6);
  CHECK(example.value("links.0.bytes") == 1e6);
  CHECK_THAT(example.error("links.99.bytes"), Catch::Contains("unknown link \"99\""));
}

TEST_CASE("other traffic goes by the names of its entries and by numbers") {
  Example example;
  using Catch::Contains;
  CHECK_THAT(example.error("traffic.0.flows"), Contains("this scenario has no \"traffic\""));
  example.outcome.scenario.traffic.resize(2);
  example.outcome.scenario.traffic[0].name = "answers";
  example.outcome.scenario.traffic[1].name = "files";
  example.outcome.result.traffic = {{.name = "answers", .flows = 7}, {.name = "files", .flows = 9}};
  CHECK(example.value("traffic.files.flows") == 9);
  CHECK(example.value("traffic.0.flows") == 7);
  CHECK_THAT(example.error("traffic.file.flows"),
             Contains("traffic \"file\" does not exist; did you mean \"files\"? Allowed: answers, files"));
  CHECK_THAT(example.error("traffic.2.flows"), Contains("traffic \"2\" does not exist"));
}

TEST_CASE("each entry that is wrong is told at its place") {
  Example example;
  example.outcome.scenario.expect = {{"time_s", 1, 0, ""}, {"nothing", 1, 0, ""}, {"time_s", 2, 0, ""}};
  const auto errors = expectation_errors(example.outcome.scenario, &example.platform);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].pointer == "/expect/1/quantity");
  CHECK(errors[1].pointer == "/expect/2/quantity");
  CHECK(errors[1].message == "\"time_s\" appears twice");
}
