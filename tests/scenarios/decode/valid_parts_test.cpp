#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/load.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

struct Text {
  std::string network = R"({ "topology": "star", "link": { "bandwidth": "1Gbps" } })";
  std::string workload = R"({ "tensors": [ { "bytes": "1MB" } ] })";
  std::string training = R"({ "exchange": { "algorithm": "ring" } })";
  std::string more{};
  std::string platform{};

  [[nodiscard]] std::string json() const {
    return fmt::format(R"({{ "platform": {{ "nodes": 4, "network": {}{} }}, "workload": {}, "training": {}{} }})",
                       network, platform, workload, training, more);
  }
};

/// Returns what a further check may rely on.
Known known_of(const Text& text, bool valid = false) {
  std::optional<Known> known;
  const auto remember = [&](const Scenario&, Known k) {
    known = k;
    return std::vector<PlatformError>();
  };
  const std::string errors = errors_of([&] { parse_changed_scenario(text.json(), "s", {}, remember); });
  INFO(text.json() << errors);
  CHECK(errors.empty() == valid);
  REQUIRE(known);
  return *known;
}

} // namespace

TEST_CASE("a mistake leaves known what does not depend on it") {
  CHECK(known_of({}, true) == Known::all);
  const auto cluster = [](const Text& text) { CHECK(known_of(text) == Known::cluster); };
  cluster({.workload = "5"});
  cluster({.workload = "\"nowhere.json\""});
  cluster({.training = R"({ "exchange": { "algorithm": "ring" }, "iterations": -1 })"});
  cluster({.more = R"(, "nmae": 1)"});
  cluster({.more = R"(, "limits": { "messages": 0 })"});
  cluster({.more = R"(, "traffic": [ { "from": -1, "to": 1 } ])"});
  cluster({.more = R"(, "changes": [ { "at": "-1s", "link": "node0.up", "bandwidth": "1Gbps" } ])"});
  cluster({.platform = R"(, "overrides": [ { "nodes": 0, "latency": "1" } ])"});
  cluster({.training = R"({ "exchange": { "algorithm": "parameter_server", "servers": 2 }, "streams": 0 })"});
}

TEST_CASE("without the cluster, or the number of nodes that the job adds to it, only names can be checked") {
  const auto names = [](const Text& text) { CHECK(known_of(text) == Known::names); };
  names({.network = R"({ "topology": "star", "link": { "bandwidth": "1Gbs" } })"});
  names({.network = R"("star")"});
  names({.training = "5"});
  names({.training = R"({ "exchange": { "algorithm": "parameter_server", "servers": 0 } })"});
  names({.training = R"({ "exchange": { "algorithm": "ring" }, "warmup": [ 5 ] })"});
  names({.more = R"(, "recovery": { "policy": "pray" })"});
  names({.more = R"(, "failures": 5)"});
  names({.more = R"(, "jobs": 5)"});
  // Decoded, and then refused.
  names({.training = R"({ "exchange": { "algorithm": "parameter_server", "servers": 9, "colocated": true } })"});
}

TEST_CASE("what is right in a list is checked, and mistakes in it have their places in the whole list") {
  const Text text{.more = R"(,
 "traffic": [ { "from": -1 },
  { "from": 0, "to": 1 },
  5,
  { "from": 1, "to": 2 } ])"};
  const auto check = [](const Scenario& s, Known) {
    CHECK(s.traffic.size() == 2);
    return std::vector<PlatformError>{
        {"/traffic/0/to", "first"}, {"/traffic/1/to", "second"}, {"/traffic/2", "no item"}};
  };
  const std::string errors = errors_of([&] { parse_changed_scenario(text.json(), "s", {}, check); });
  CHECK_THAT(errors, Catch::Contains("s:3:22: /traffic/1/to: first\n"));
  CHECK_THAT(errors, Catch::Contains("s:5:22: /traffic/3/to: second\n"));
}

TEST_CASE("what is left of a scenario is checked between its keys") {
  const Text text{.training = R"({ "exchange": { "algorithm": "parameter_server", "servers": 9, "colocated": true } })",
                  .more = R"(, "expect": [ 5 ])"};
  const std::string errors = errors_of([&] { parse_changed_scenario(text.json(), "s", {}); });
  CHECK_THAT(errors, Catch::Contains("/expect/0: expected an object"));
  CHECK_THAT(errors, Catch::Contains("/training/exchange/servers: 9 colocated servers need as many ranks"));
}
