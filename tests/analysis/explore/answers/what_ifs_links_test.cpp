// Faster links: each change of advice scales every rate of the links that it names, and no other link.
#include "tests/analysis/explore/answers/advice_cases.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("uplinks with directions of their own are lifted in both") {
  // 14 steps of a ring with 12.5 MB each: 50 ms out of a rack at 2 Gbps, 25 ms at 4 Gbps, 10 ms at the NICs' 10 Gbps.
  const std::string uplink = R"({ "bandwidth": "10Gbps", "egress_bandwidth": "2Gbps" })";
  const std::string racks = fmt::format(R"({{ "nodes": 8, "network": {{ "topology": "racks",
    "link": {{ "bandwidth": "10Gbps" }}, "racks": {{ "nodes_per_rack": 4, "uplink": {} }} }} }})",
                                        uplink);
  const std::string tree = fmt::format(R"({{ "nodes": 8, "network": {{ "topology": "fat_tree",
    "link": {{ "bandwidth": "10Gbps" }}, "fat_tree": {{ "levels": [{{ "down": 4 }}, {{ "down": 2, "link": {} }}] }} }} }})",
                                       uplink);
  for (const std::string& platform : {racks, tree}) {
    INFO(platform);
    const Advice advice = advice_on(source_of(platform));
    CHECK(seconds_of(advice) == Approx(0.7).epsilon(1e-9));
    CHECK(gain_of(advice, "uplinks x 2") == Approx(0.5).epsilon(1e-9));
    CHECK(gain_of(advice, "NICs and uplinks x 2") == Approx(0.5).epsilon(1e-9));
    CHECK(gain_of(advice, "unlimited uplinks") == Approx(0.8).epsilon(1e-9));
    CHECK(gain_of(advice, "unlimited NICs and uplinks") > 0.999);
    CHECK(gain_of(advice, "NICs x 2") == Approx(0).margin(1e-9));
  }
}

TEST_CASE("uplinks like the NICs keep the directions when only the NICs change") {
  // Level 1 has the network's link: 50 ms out of a leaf switch at 2 Gbps, whatever the NICs.
  const Advice advice = advice_on(source_of(R"({ "nodes": 8, "network": { "topology": "fat_tree",
    "link": { "bandwidth": "10Gbps", "egress_bandwidth": "2Gbps" },
    "fat_tree": { "levels": [{ "down": 4 }, { "down": 2 }] } } })"));
  CHECK(seconds_of(advice) == Approx(0.7).epsilon(1e-9));
  CHECK(gain_of(advice, "NICs x 2") == Approx(0).margin(1e-9));
  CHECK(gain_of(advice, "uplinks x 2") == Approx(0).margin(1e-9));
  CHECK(gain_of(advice, "NICs and uplinks x 2") == Approx(0.5).epsilon(1e-9));
}
