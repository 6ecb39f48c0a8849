// Plans in words: what a rank sends is what its partner receives.
#include "sim/training/plan_text.hpp"

#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

using namespace gradflight;

namespace {

constexpr int vector_elements = 1'000'003;

/// The elements of messages in words, by sender, receiver and lane, in the order of steps.
using ToldMessages = std::map<std::tuple<int, int, std::string>, std::vector<std::string>>;
struct Told {
  ToldMessages sent, received;
};

Told told_by(const std::string& algorithm, int ranks) {
  const Scenario scenario = parse_scenario(
      fmt::format(R"({{ "platform": {{ "nodes": {}, "network": {{ "topology": "star", "link": {{ "bandwidth": "10Gbps",
          "latency": "5us" }} }} }}, "workload": {{ "tensors": [{{ "name": "g", "bytes": "{}B" }}] }},
        "training": {{ "exchange": {{ "algorithm": "{}" }} }} }})",
                  ranks, 4 * vector_elements, algorithm),
      "plan.json");
  std::stringstream text;
  print_plan(scenario, build_platform(scenario.platform, 0), {.rank = -1, .limit = 1'000'000}, text);
  Told plan;
  int rank = -1;
  std::string lane;
  const std::regex title(R"(rank (\d+), (\S+):)"), send(R"( send elements (.*?) \(.*? to rank (\d+))"),
      receive(R"( receive elements (.*?) from rank (\d+))");
  for (std::string line; std::getline(text, line);) {
    std::smatch found;
    if (std::regex_match(line, found, title)) {
      rank = std::stoi(found[1]);
      lane = found[2];
    }
    if (std::regex_search(line, found, send)) plan.sent[{rank, std::stoi(found[2]), lane}].push_back(found[1]);
    if (std::regex_search(line, found, receive)) plan.received[{std::stoi(found[2]), rank, lane}].push_back(found[1]);
  }
  return plan;
}

} // namespace

TEST_CASE("in a plan, each rank receives what its partner sends") {
  const std::string algorithm =
      GENERATE("ring", "recursive_doubling", "chain", "binary_tree", "double_binary_tree", "spread");
  for (const int ranks : {2, 3, 5}) {
    CAPTURE(algorithm, ranks);
    const Told plan = told_by(algorithm, ranks);
    REQUIRE_FALSE(plan.sent.empty());
    CHECK(plan.sent == plan.received);
  }
}

TEST_CASE("the messages of a chain carry the whole vector once, chunk by chunk") {
  const Told plan = told_by("chain", 3);
  const auto from_last = std::ranges::find_if(plan.sent, [](const auto& m) { return std::get<0>(m.first) == 2; });
  REQUIRE(from_last != plan.sent.end());
  int next = 0;
  for (const std::string& range : from_last->second) {
    const std::string begin = fmt::format("[{}, ", next);
    REQUIRE(range.starts_with(begin));
    next = std::stoi(range.substr(begin.size()));
  }
  CHECK(next == vector_elements);
}

TEST_CASE("with direct sends, each partner gets its own block") {
  const Told plan = told_by("spread", 4);
  std::vector<std::string> first;
  for (const auto& [who, ranges] : plan.sent)
    if (std::get<0>(who) == 1) first.push_back(ranges.front());
  CHECK(first == std::vector<std::string>{"[0, 250001)", "[500002, 750003)", "[750003, 1000003)"});
}
