#include "analysis/explore/regression/golden.hpp"
#include "platforms/code/platform.hpp"

#include "analysis/explore/regression/golden_text.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <rapidcheck.h>

using namespace gradflight;
using Catch::Contains;

namespace {

ExpectationCheck check_of(double value, double tolerance, std::optional<double> got) {
  return {{"time_s", value, tolerance, ""}, got};
}

/// An outcome with the links of its platform, its golden numbers, and the check after a change.
struct Example {
  Outcome outcome = testing::example_outcome();
  Platform platform = build_platform(outcome.scenario.platform, 0);
  Example() {
    auto& r = outcome.result;
    r.links.clear();
    for (const auto& link : platform.links()) r.links.push_back({link.name, 12e6, 0.1, link.bandwidth});
    expect = standard_expectations(outcome, platform);
  }
  std::vector<Expectation> expect;

  /// Changes a part of the critical path, as a change of the engine or of the scenario would.
  void lengthen(Part part, double seconds) {
    auto& r = outcome.result;
    at(r.path, part) += seconds;
    at(r.iteration_path, part) += seconds;
    r.time += seconds;
    r.iteration_time += seconds;
    r.iterations.back().end += seconds;
  }
  [[nodiscard]] GoldenCheck check() const { return check_expectations(expect, outcome, platform); }
  [[nodiscard]] std::string why() const {
    std::string text;
    for (const auto& line : explain_change(check(), outcome)) text += line + '\n';
    return text;
  }
};

} // namespace

TEST_CASE("a tolerance of 0 means the same bits") {
  CHECK(check_of(0.1, 0, 0.1).holds());
  CHECK_FALSE(check_of(0.1, 0, std::nextafter(0.1, 1)).holds());
  CHECK_FALSE(check_of(0.1, 0, std::nextafter(0.1, 0)).holds());
  CHECK(check_of(0, 0, 0).holds());
  CHECK_FALSE(check_of(0, 0, 1e-300).holds());
}

TEST_CASE("a tolerance is relative to the expected value, on both sides") {
  CHECK(check_of(200, 0.01, 202).holds());
  CHECK(check_of(200, 0.01, 198).holds());
  CHECK_FALSE(check_of(200, 0.01, 202.1).holds());
  CHECK_FALSE(check_of(200, 0.01, 197.9).holds());
  CHECK(check_of(-200, 0.01, -202).holds());
  CHECK_FALSE(check_of(0, 0.5, 1e-300).holds());
}

TEST_CASE("what is not a number, or not there, never holds") {
  CHECK_FALSE(check_of(1, 1e9, std::numeric_limits<double>::quiet_NaN()).holds());
  CHECK_FALSE(check_of(1, 1e9, std::nullopt).holds());
  CHECK_FALSE(check_of(0, 0, 1).change());
  CHECK_FALSE(check_of(1, 0, std::nullopt).change());
  CHECK(check_of(2, 0, 3).change() == 0.5);
}

TEST_CASE("property: holds exactly up to the tolerance") {
  REQUIRE(rc::check("bounds", [](int value, int percent) {
    const double v = value == 0 ? 1 : value, tolerance = std::abs(percent % 100) / 100.0;
    RC_ASSERT(check_of(v, tolerance, v + 0.99 * tolerance * v).holds());
    RC_ASSERT(!check_of(v, tolerance, v + (1.01 * tolerance + 1e-9) * v).holds());
    RC_ASSERT(!check_of(v, tolerance, v - (1.01 * tolerance + 1e-9) * v).holds());
  }));
}

TEST_CASE("the standard set holds the times, the parts that are not zero, the traffic and the busiest link") {
  const Example example;
  std::vector<std::string> names;
  for (const auto& e : example.expect) names.push_back(e.quantity);
  CHECK(names == std::vector<std::string>{"time_s", "iteration_time_s", "breakdown.compute_s", "breakdown.update_s",
                                          "breakdown.alpha_s", "breakdown.beta_s", "breakdown.gamma_s", "messages",
                                          "wire_bytes", "links.node0.up.busy_s",
                                          "links.node0.up.bandwidth_bytes_per_s"});
  CHECK(example.expect.front().why == "the closed form ring_allreduce gives the same");
  CHECK(example.check().moved() == 0);
}

TEST_CASE("the standard set claims no closed form where none fits") {
  Example example;
  example.outcome.form.form->assumptions.front().holds = false;
  CHECK(standard_expectations(example.outcome, example.platform).front().why.empty());
}

TEST_CASE("the standard set holds the ends of warm-up phases") {
  Example example;
  auto& phases = example.outcome.scenario.phases;
  phases.insert(phases.begin(), phases.back());
  phases.front().name = "warm-up";
  phases.front().training.iterations = phases.back().training.iterations = 1;
  example.expect = standard_expectations(example.outcome, example.platform);
  CHECK(example.check().find("iterations.0.end_s") != nullptr);
  CHECK(example.check().find("iterations.1.end_s") == nullptr);

  SECTION("so that a change can be dated: the warm-up") {
    example.outcome.result.iterations.front().end += 0.5;
    example.lengthen(Part::beta, 0.5);
    CHECK_THAT(example.why(), Contains("phase warm-up takes 500 ms longer") && !Contains("phase main"));
  }
  SECTION("the main phase") {
    example.lengthen(Part::beta, -0.01);
    CHECK_THAT(example.why(), Contains("phase main takes 10 ms less") && !Contains("phase warm-up"));
  }
}

TEST_CASE("the busiest link: the longest, else the slowest, else the first that carried something") {
  RunResult r;
  CHECK(busiest_link(r) == nullptr);
  r.links = {{"idle", 0, 0, 1}, {"a", 1, 0.1, 10}, {"b", 1, 0.1 * (1 + 1e-9), 10}, {"c", 1, 0.09, 1}};
  CHECK(busiest_link(r)->name == "a");
  r.links[2].bandwidth = 9;
  CHECK(busiest_link(r)->name == "b");
  r.links[3].busy = 0.2;
  CHECK(busiest_link(r)->name == "c");
}

TEST_CASE("the explanation names the parts that moved, by how much, and those that did not") {
  Example example;
  example.lengthen(Part::gamma, 0.001);
  example.lengthen(Part::contention, 0.004);
  CHECK_THAT(example.why(), Contains("the whole run takes 5 ms longer (+2.91 %): contention +4 ms (it had none), "
                                     "gamma +1 ms (+10 %); as before: compute, update, alpha, beta"));
  CHECK_THAT(example.why(), Contains("an iteration takes 5 ms longer"));
}

TEST_CASE("a file without parts cannot tell, and says so") {
  Example example;
  example.expect.resize(1);
  example.lengthen(Part::gamma, 0.01);
  CHECK_THAT(example.why(), Contains("takes 10 ms longer") &&
                                Contains("its parts are now compute 60 ms, update 2 ms") &&
                                Contains("the file expects no breakdown.*"));
  CHECK_THAT(example.why(), Contains("the busiest link is node0.up"));
}

TEST_CASE("parts that a file leaves out are not taken for zero where the others do not sum up") {
  Example example;
  example.expect = {example.expect[0], example.expect[5]}; // time_s, breakdown.beta_s
  REQUIRE(example.expect[1].quantity == "breakdown.beta_s");
  example.lengthen(Part::gamma, 0.01);
  CHECK_THAT(example.why(), !Contains("it had none"));
}

TEST_CASE("the explanation names the link") {
  Example example;
  SECTION("the expected one") {
    example.outcome.result.links[0].bandwidth *= 0.99;
    example.outcome.result.links[0].busy /= 0.99;
    example.outcome.result.links[0].bytes *= 2; // not expected, so it is not reported
    CHECK_THAT(example.why(), Contains("link node0.up: 9.9 Gbps instead of 10 Gbps (-1 %), busy 1.0101 ms longer") &&
                                  !Contains("carries"));
  }
  SECTION("another one that is now the busiest") {
    example.outcome.result.links[3].busy = 0.2;
    example.lengthen(Part::beta, 0.1);
    CHECK_THAT(example.why(), Contains("the busiest link is now node1.down: 10 Gbps, 12 MB carried, busy 200 ms"));
  }
}

TEST_CASE("the closed form tells a changed scenario from a changed simulation") {
  Example example;
  example.lengthen(Part::beta, 0.01);
  SECTION("the form did not move") {
    CHECK_THAT(example.why(), Contains("how it is simulated changed, not the scenario"));
  }
  SECTION("the form moved with it") {
    example.outcome.form.form->terms.time = example.outcome.result.time;
    CHECK_THAT(example.why(), Contains("as well: the scenario (or a file that it names) changed"));
  }
  SECTION("the form lost an assumption") {
    example.outcome.form.form->terms.time += 1;
    example.outcome.form.form->assumptions[0] = {AssumptionId::links_alike, "all links alike", false,
                                                 "node1.up is slower"};
    CHECK_THAT(example.why(), Contains("all links alike") && Contains("node1.up is slower"));
  }
  SECTION("there is none") {
    example.outcome.form.form.reset();
    CHECK_THAT(example.why(), !Contains("closed form"));
  }
}

TEST_CASE("a change of last digits is called that") {
  Example example;
  example.outcome.result.time = std::nextafter(example.outcome.result.time, 1);
  REQUIRE(example.check().moved() == 1);
  CHECK_THAT(example.why(), Contains("only the last digits moved") && !Contains("takes"));
}

TEST_CASE("the table has the numbers that moved, in full, and what they protect") {
  Example example;
  example.expect[0].why = "Table 2 of the paper";
  example.outcome.result.messages = 96;
  example.lengthen(Part::beta, 0.125);
  const auto text = change_text(example.check(), example.outcome, 100);
  CHECK_THAT(text, Contains("quantity") && Contains("tolerance") && Contains("exact"));
  CHECK_THAT(text, Contains("messages") && Contains("+100 %"));
  CHECK_THAT(text, Contains("  protects  time_s: Table 2 of the paper\n"));
  CHECK_THAT(text, !Contains("wire_bytes"));
  CHECK(change_line(example.check()) == "time_s +72.6 %, 3 more");
}
