// Combinations of what-ifs: which changes are combined, and their gains.
#include "analysis/explore/advice/combinations.hpp"
#include "tests/analysis/explore/advice/advice_cases.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace gradflight;
using namespace gradflight::test;

namespace {

const std::string by_ring = R"({ "algorithm": "ring" })";

} // namespace

TEST_CASE("no combination holds a change and a part of it") {
  // PCIe is the bound. Doubling it gains as much as doubling NICs and PCIe.
  const Advice advice = advice_on(source_of(R"({ "nodes": 2, "gpus_per_node": 2, "intra_node": { "kind": "pcie",
    "link": { "bandwidth": "1GB/s", "latency": "0s" } }, "network": { "topology": "star", "link": { "bandwidth": "100Gbps" } } })"));
  CHECK(gain_of(advice, "PCIe x 2") == Approx(0.5).epsilon(1e-9));
  CHECK(gain_of(advice, "NICs and PCIe x 2") == Approx(0.5).epsilon(1e-9));
  CHECK(advice_text(advice).find("PCIe x 2") != std::string::npos);
  CHECK(advice_text(advice).find("NICs and PCIe x 2") == std::string::npos);
  int combined = 0;
  for (const Tried& whole : advice.tried) {
    if (whole.what.kind != WhatIfKind::together) continue;
    ++combined;
    INFO(whole.what.change);
    std::vector<const WhatIf*> parts;
    for (const Tried& t : advice.tried)
      if (t.what.kind != WhatIfKind::together &&
          (" + " + whole.what.change + " + ").find(" + " + t.what.change + " + ") != std::string::npos)
        parts.push_back(&t.what);
    CHECK(parts.size() >= 2);
    for (const WhatIf* a : parts)
      for (const WhatIf* b : parts) CHECK((a == b || !a->is_part_of(*b)));
  }
  CHECK(combined > 0);
}

TEST_CASE("changes of which one would undo the other are not combined") {
  WhatIf list, entry, other;
  list.set = {{"platform.overrides", nlohmann::ordered_json::array()}};
  entry.set = {{"platform.overrides.0.latency", "0s"}};
  other.set = {{"platform.network.link.bandwidth", "10Gbps"}};
  CHECK(together({&list, &entry}).set.empty());
  CHECK(together({&entry, &list}).set.empty());
  CHECK(together({&entry, &other}).set.size() == 2);
}

TEST_CASE("repairs are combined with each other") {
  // Six steps of a ring with 25 MB each: 40 ms at 5 Gbps, 20 ms at 10 Gbps. One slow cable is as bad as two.
  const Advice cables = advice_on(source_of(
      star_with(R"(, "overrides": [{ "nodes": 0, "bandwidth": "5Gbps" }, { "nodes": 2, "bandwidth": "5Gbps" }])"),
      by_ring));
  CHECK(seconds_of(cables) == Approx(0.24).epsilon(1e-9));
  CHECK(gain_of(cables, "node 0's cable like the others") == Approx(0).margin(1e-9));
  CHECK(gain_of(cables, "node 2's cable like the others") == Approx(0).margin(1e-9));
  CHECK(gain_of(cables, "all slow parts like the others") == Approx(0.5).epsilon(1e-9));
  // One override slows its node's cable and its reduction, a change slows another cable.
  const Advice parts =
      advice_on(source_of(star_with(R"(, "reduce_bandwidth": "4GB/s",
        "overrides": [{ "nodes": 0, "bandwidth": "5Gbps", "reduce_bandwidth": "1GB/s", "compute_speed": 2 }])"),
                          by_ring, R"(, "changes": [{ "at": "0s", "nic": "node2", "bandwidth": "5Gbps" }])"));
  const Tried* all = find(parts, "all slow parts like the others");
  REQUIRE(all != nullptr);
  CHECK(all->step.iteration_time == Approx(0.12 + 3 * 6.25e-3).epsilon(1e-9));
  CHECK(find(advice_on(source_of(star_with(""), by_ring)), "all slow parts like the others") == nullptr);
}

TEST_CASE("a repair is combined with what changes the same entries") {
  // Passes of 100 ms, then six steps of a ring with 25 MB each: 40 ms at 5 Gbps. Repaired 20 ms, with NICs x 2 10 ms.
  const auto trained = [](const std::string& more, const std::string& changes) {
    return ScenarioSource{"case.json", fmt::format(R"({{ "platform": {}, "workload": {{ "layers": [{{ "name": "l",
      "forward": "40ms", "backward": "60ms", "tensors": [{{ "name": "g", "bytes": "100MB" }}] }}] }},
      "training": {{ "exchange": {} }}{} }})",
                                                   star_with(more), by_ring, changes)};
  };
  for (const Advice& advice :
       {advice_on(trained(R"(, "overrides": [{ "nodes": 2, "bandwidth": "5Gbps" }])", "")),
        advice_on(trained("", R"(, "changes": [{ "at": "0s", "nic": "node2", "bandwidth": "5Gbps" }])"))}) {
    CHECK(seconds_of(advice) == Approx(0.34).epsilon(1e-9));
    const auto both = std::ranges::find_if(advice.tried, [](const Tried& tried) {
      return tried.what.parts.size() == 2 && tried.what.change.find("node 2's cable") != std::string::npos &&
             tried.what.change.find("NICs x 2") != std::string::npos;
    });
    REQUIRE(both != advice.tried.end());
    CHECK(both->gain == Approx(1 - 0.16 / 0.34).epsilon(1e-9));
  }
  // Latencies of the entries that remain are shortened: 6 ms and 0.8 ms in each step, then 2 ms, then 1 ms.
  const Advice late = advice_on(
      source_of(star_with(R"(, "overrides": [{ "nodes": "0-3", "latency": "1ms" }, { "nodes": 2, "latency": "5ms" }])"),
                by_ring, "", "4MB"));
  CHECK(seconds_of(late) == Approx(6 * 6.8e-3).epsilon(1e-9));
  const auto halved = std::ranges::find_if(late.tried, [](const Tried& tried) {
    return tried.what.parts.size() == 2 && tried.what.change.find("node 2's cable") != std::string::npos &&
           tried.what.change.find("latency / 2") != std::string::npos;
  });
  REQUIRE(halved != late.tried.end());
  CHECK(halved->gain == Approx(1 - 1.8 / 6.8).epsilon(1e-9));
}

TEST_CASE("a combination may remove what a part of it would make faster") {
  // Pushes of 4 x 100 MB to a server at 20 Gbps: 160 ms, and as much back. With a server on every worker 3 x 25 MB each
  // way at 10 Gbps: 60 ms, at 20 Gbps 30 ms. The server's own cable has an entry that goes with the server.
  const ScenarioSource source{"case.json", R"({ "platform": { "nodes": 4,
      "network": { "topology": "star", "link": { "bandwidth": "10Gbps", "latency": "0s" } },
      "overrides": [{ "nodes": "4", "bandwidth": "20Gbps" }] },
    "workload": { "layers": [{ "forward": "40ms", "backward": "40ms", "tensors": [{ "bytes": "100MB" }] }] },
    "training": { "exchange": { "algorithm": "parameter_server" } } })"};
  const Advice advice = advice_on(source);
  CHECK(seconds_of(advice) == Approx(0.4).epsilon(1e-9));
  const auto combined = [&](std::vector<std::string> parts) {
    return std::ranges::find_if(advice.tried, [&](const Tried& tried) { return tried.what.parts == parts; });
  };
  const auto both = combined({"a server on every worker", "NICs of workers and servers x 2"});
  REQUIRE(both != advice.tried.end());
  CHECK(both->gain == Approx(1 - 0.14 / 0.4).epsilon(1e-9));
  for (const Tried& whole : advice.tried) {
    INFO(whole.what.change);
    const auto has = [&](const char* part) {
      return std::ranges::find(whole.what.parts, part) != whole.what.parts.end();
    };
    CHECK_FALSE((has("a server on every worker") && (has("servers' NICs x 2") || has("4 servers"))));
    CHECK_FALSE((has("servers' NICs x 2") && has("NICs of workers and servers x 2")));
  }
}

TEST_CASE("of two upgrades that gain the same, the one of fewer links is shown") {
  // Racks of 2 at 1:1: the NICs hold messages up, and faster uplinks gain nothing. With NICs alone twice as fast, the
  // uplinks stay as they are by other settings than with both.
  const Advice advice = advice_on(source_of(R"({ "nodes": 4, "network": { "topology": "racks",
    "racks": { "nodes_per_rack": 2, "oversubscription": 0.5 }, "link": { "bandwidth": "10Gbps", "latency": "0s" } } })"));
  const Tried* nics = find(advice, "NICs x 2");
  const Tried* both = find(advice, "NICs and uplinks x 2");
  REQUIRE(nics != nullptr);
  REQUIRE(both != nullptr);
  CHECK(nics->gain == Approx(0.5).epsilon(1e-9));
  CHECK(both->gain == Approx(0.5).epsilon(1e-9));
  CHECK(nics->what.is_part_of(both->what));
  CHECK_FALSE(both->what.is_part_of(nics->what));
  const std::vector<const Tried*> shown = worth_showing(advice, {WhatIfKind::hardware}, {Fidelity::exact});
  CHECK(std::ranges::find(shown, nics) != shown.end());
  CHECK(std::ranges::find(shown, both) == shown.end());
}
