#include "analysis/run/text/report.hpp"
#include "analysis/run/text/report_text.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"
#include "tests/analysis/run/result/verdict_cases.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace gradflight;
using Catch::Contains;

TEST_CASE("the report says the times, what they are made of, and the form") {
  const std::string text = report(testing::example_outcome());
  CHECK_THAT(text, Contains("iteration     86.05 ms\n"));
  CHECK_THAT(text, Contains("whole run     172.1 ms\n"));
  CHECK_THAT(text, Contains("4 nodes, star, 10 Gbps and 5 us a link, reduces at 10 GB/s"));
  CHECK_THAT(text, Contains("2 iterations"));
  CHECK_THAT(text, Contains("50 ms of it exposed (90.9 %)"));
  CHECK_THAT(text, Contains("alpha 100 us + beta 100 ms + gamma 10 ms + compute 62 ms = 172.1 ms"));
  CHECK_THAT(text, Contains("yes all links alike"));
  CHECK_THAT(text, Contains("none: they agree\n"));
  CHECK_THAT(text, Contains("contention, merge, host, queue")); // the parts without time share a line
}

TEST_CASE("overrides may concern a server's own node and cable") {
  const std::string server = R"({ "algorithm": "parameter_server" })";
  for (const char* slow :
       {R"({ "nodes": 2, "bandwidth": "0.5GB/s" })", R"({ "link": "node2.up", "bandwidth": "0.5GB/s" },
                                                                         { "link": "node2.down", "bandwidth": "0.5GB/s" })"}) {
    const Outcome o =
        verdict_cases::evaluated(verdict_cases::star_of(2, fmt::format(R"(, "overrides": [{}])", slow)), server);
    CHECK_THAT(report(o), Contains("iteration     800 ms\n")); // 2 x 100 MB each way
  }
}

TEST_CASE("the busiest links come first and idle ones are not shown") {
  const std::string text = report(testing::example_outcome());
  CHECK(text.find("node0.up at ") < text.find("node0.down at "));
  CHECK_THAT(text, !Contains("node1.up"));
}

TEST_CASE("steps that differ are not called steady") {
  // 60 ms of passes and 80 ms of the ring; in the second step GPU 1 takes 120 ms for its passes: (140 + 200 + 140) / 3.
  const Outcome o =
      verdict_cases::evaluated(verdict_cases::star_of(2), std::string(R"({ "algorithm": "ring" }, "iterations": 3)"),
                               R"(, "changes": [ { "at": "140ms", "gpu": 1, "compute_speed": 0.5 },
                        { "at": "260ms", "gpu": 1, "compute_speed": 1 } ])",
                               verdict_cases::trained);
  CHECK_THAT(report(o), Contains("iterations    3: first 140 ms, mean 160 ms, last 140 ms\n"));
}

TEST_CASE("a failed assumption is marked and named as the cause") {
  auto outcome = testing::example_outcome();
  outcome.form.form->terms.time = 0.1;
  outcome.form.form->assumptions[0] = {AssumptionId::links_alike, "all links alike", false, "node3 has 1 Gbps"};
  const std::string text = report(outcome);
  CHECK_THAT(text, Contains("NO  all links alike: node3 has 1 Gbps"));
  CHECK_THAT(text, Contains("relative +72.1 %"));
  CHECK_THAT(text.substr(text.find("  cause")), Contains("all links alike"));
}

TEST_CASE("a failed assumption that changes no time is called that") {
  auto outcome = testing::example_outcome();
  outcome.form.form->assumptions[0] = {AssumptionId::links_alike, "all links alike", false, "node3 has 1 Gbps"};
  CHECK_THAT(report(outcome), Contains("none: they agree, although an assumption fails\n"));
}

TEST_CASE("an unexplained residual is called a fault of the tool") {
  auto outcome = testing::example_outcome();
  outcome.form.form->terms.time = 0.1;
  CHECK_THAT(report(outcome), Contains("unexplained: every assumption holds"));
}

TEST_CASE("no form: the reason is printed") {
  auto outcome = testing::example_outcome();
  outcome.form = {{}, "asynchronous servers have none"};
  CHECK_THAT(report(outcome), Contains("asynchronous servers have none"));
}

TEST_CASE("colour only adds escape sequences") {
  const auto outcome = testing::example_outcome();
  std::string coloured = report(outcome, {true, 100});
  CHECK(coloured != report(outcome));
  for (std::size_t at; (at = coloured.find('\033')) != std::string::npos;)
    coloured.erase(at, coloured.find('m', at) + 1 - at);
  CHECK(coloured == report(outcome));
}

TEST_CASE("the platform's line has every cable that differs from the link") {
  auto outcome = testing::example_outcome();
  auto& network = outcome.scenario.platform.network;
  network.topology = Topology::racks;
  network.racks = {2, 4, {}};
  CHECK_THAT(report(outcome, {false, 200}),
             Contains("racks of 2 oversubscribed 4:1, 10 Gbps and 5 us a link, reduces"));
  network.racks.uplink = LinkSpec{ByteRate(5e9), {}, {}, {}};
  CHECK_THAT(report(outcome, {false, 200}),
             Contains("racks of 2, 10 Gbps and 5 us a link, 40 Gbps and 5 us an uplink, reduces"));
  network.topology = Topology::dragonfly;
  network.dragonfly = {2, 2, 2, 1, {}, LinkSpec{ByteRate(5e9), Seconds(1e-3), {}, {}}};
  CHECK_THAT(report(outcome, {false, 200}), Contains("5 us a link, 40 Gbps and 1 ms between groups, reduces"));
  network.topology = Topology::fat_tree;
  network.fat_tree = {{2, 1, 1, {}}, {2, 1, 1, LinkSpec{ByteRate(5e9), {}, {}, {}}}};
  CHECK_THAT(report(outcome, {false, 200}), Contains("5 us a link, 40 Gbps and 5 us below level 2, reduces"));
}

TEST_CASE("names and descriptions send nothing to the terminal") {
  auto outcome = testing::example_outcome();
  outcome.scenario.name = "a\033[31m";
  outcome.scenario.description = "b\033]0;title\a";
  outcome.scenario.workload.name = "c\x7F";
  outcome.form.form->assumptions[0].detail = "d\033[2J";
  const std::string text = report(outcome);
  CHECK(text.find_first_of("\033\a\x7F") == std::string::npos);
  for (const auto* shown : {"a\\u001b[31m\n", "b\\u001b]0;title\\u0007", "c\\u007f: ", "d\\u001b[2J"})
    CHECK_THAT(text, Contains(shown));
}

TEST_CASE("sentences wrap between words at the width") {
  CHECK(wrap("aa bb cc", 5) == std::vector<std::string>{"aa bb", "cc"});
  CHECK(wrap("abcdefgh i", 4) == std::vector<std::string>{"abcdefgh", "i"});
  CHECK(wrap("of 10 ms", 5) == std::vector<std::string>{"of", "10 ms"}); // a number keeps its unit
  CHECK(wrap("of (10 ms)", 6) == std::vector<std::string>{"of", "(10 ms)"});
  CHECK(wrap("", 4) == std::vector<std::string>{""});
}

TEST_CASE("a bar shows anything above nothing, and nothing for nothing") {
  CHECK(bar(0).empty());
  CHECK(bar(1e-9) == "#");
  CHECK(bar(0.5).size() == 10);
  CHECK(bar(1.0).size() == 20);
}

TEST_CASE("a label that leaves no room for a blank has a line of its own") {
  ReportText text(ReportStyle{});
  text.line("short", "1 ms");
  text.line("job of a team", "2 ms");  // 13 characters, a blank
  text.line("job of my team", "3 ms"); // 14, none
  CHECK(std::move(text).take() ==
        "  short         1 ms\n  job of a team 2 ms\n  job of my team\n                3 ms\n");
}
