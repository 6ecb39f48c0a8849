#include "analysis/run/evaluate.hpp"
#include "analysis/run/last_digits.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/text/report.hpp"
#include "tests/support/random_scenario.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>

using namespace gradflight;
using Catch::Contains;

namespace {

double moved(const Scenario& s) {
  const Prepared prepared(s);
  return moved_by_last_digits(prepared, simulate(prepared));
}

} // namespace

TEST_CASE("a time that hangs on last digits is told from one that does not") {
  for (const std::uint32_t seed : {3639u, 5987u, 9357u}) { // some of those that test_sim "[.ulps]" finds
    INFO("seed " << seed);
    const Scenario s = test::alike_scenario(seed);
    const double by = moved(s);
    CHECK(by > 1e-9);
    CHECK_THAT(report(evaluate(Prepared(s)), {}, by), Contains("this time depends on a tie: +- "));
  }
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    CHECK(moved(test::random_scenario(seed)) == 0);
  }
}

TEST_CASE("the lanes of a double tree share links, and one stream may then hang on last digits") {
  const auto moved_by = [](const char* algorithm) {
    const std::string text = fmt::format(R"({{ "platform": {{ "nodes": 8, "jitter": {{ "cv": 0.2, "seed": 3 }},
        "network": {{ "topology": "star", "link": {{ "bandwidth": "1GB/s", "latency": "5us" }} }} }},
      "workload": {{ "layers": [{{ "forward": "2ms", "backward": "3ms", "tensors": [{{ "bytes": "10MB" }}] }},
        {{ "forward": "3ms", "backward": "3ms", "tensors": [{{ "bytes": "8MB" }}] }}] }},
      "training": {{ "exchange": {{ "algorithm": "{}" }}, "iterations": 20, "overlap": "layerwise" }} }})",
                                         algorithm);
    const Prepared prepared = prepare_changed(ScenarioSource{"case.json", text}, {});
    return moved_by_last_digits(prepared, simulate(prepared));
  };
  CHECK(moved_by("double_binary_tree") > 1e-6);
  CHECK(moved_by("chain") == 0);
}
