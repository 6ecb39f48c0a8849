// Faster links: each change of advice scales every rate of the links that it names, and no other link.
#include "tests/analysis/explore/advice/advice_cases.hpp"

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

TEST_CASE("a latency of the uplinks alone is theirs, and lifted with the others") {
  // Two steps of a ring with 2 MB each: 1.6 ms, 1 ms for each of two NICs' cables, 5 ms for each of two uplinks.
  const Advice advice = advice_on(source_of(R"({ "nodes": 2, "network": { "topology": "racks",
    "link": { "bandwidth": "10Gbps", "latency": "1ms" }, "racks": { "nodes_per_rack": 1, "uplink_latency": "5ms" } } })",
                                            R"({ "algorithm": "ring" })", "", "4MB"));
  CHECK(seconds_of(advice) == Approx(2 * 13.6e-3).epsilon(1e-9));
  CHECK(gain_of(advice, "no latency") == Approx(12 / 13.6).epsilon(1e-9));
  CHECK(gain_of(advice, "latency / 2") == Approx(6 / 13.6).epsilon(1e-9));
}

TEST_CASE("cables of the lowest level of a fat tree are the NICs") {
  // 14 steps of a ring with 12.5 MB each: 20 ms at the nodes' 5 Gbps, 10 ms at 10 Gbps.
  const auto tree = [](const std::string& more) {
    return R"({ "nodes": 8, "network": { "topology": "fat_tree", "link": { "bandwidth": "10Gbps" },
      "fat_tree": { "levels": [{ "down": 4, "link": { "bandwidth": "5Gbps" } }, { "down": 3, "up": 4 }] } })" +
           more + "}";
  };
  const Advice advice = advice_on(source_of(tree("")));
  CHECK(seconds_of(advice) == Approx(0.28).epsilon(1e-9));
  CHECK(gain_of(advice, "NICs x 2") == Approx(0.5).epsilon(1e-9));
  CHECK(gain_of(advice, "NICs and uplinks x 2") == Approx(0.5).epsilon(1e-9));
  CHECK(gain_of(advice, "uplinks x 2") == Approx(0).margin(1e-9));
  // Each of the four uplinks of a leaf switch carries one message in a step.
  CHECK(gain_of(advice, "unlimited NICs") == Approx(0.5).epsilon(1e-6));
  CHECK(gain_of(advice, "unlimited NICs and uplinks") > 0.999);
  // A cable with 8 Gbps is not slower than its neighbours, one with 2.5 Gbps is.
  const auto with_cable = [&](const char* rate) {
    return advice_on(source_of(tree(fmt::format(R"(, "overrides": [{{ "nodes": 2, "bandwidth": "{}" }}])", rate))));
  };
  CHECK(find(with_cable("8Gbps"), "node 2's cable like the others") == nullptr);
  CHECK(gain_of(with_cable("2.5Gbps"), "node 2's cable like the others") == Approx(0.5).epsilon(1e-9));
  // A server in the third group has this cable, too: 800 MB in and 800 MB out at 0.625 GB/s.
  const Advice served = advice_on(source_of(tree(""), R"({ "algorithm": "parameter_server" })"));
  CHECK(seconds_of(served) == Approx(2.56).epsilon(1e-9));
  CHECK(gain_of(served, "servers' NICs x 2") == Approx(0.5).epsilon(1e-9));
  CHECK(gain_of(served, "NICs x 2") == Approx(0).margin(1e-9));
}

TEST_CASE("a change of links of several kinds is lifted for each kind alone") {
  // Six steps of a ring with 25 MB each: 40 ms at 5 Gbps, 20 ms at 10 Gbps. The change concerns the cables and the
  // uplink of a rack, which are equally narrow.
  const std::string racks = R"({ "nodes": 4, "network": { "topology": "racks", "link": { "bandwidth": "10Gbps" },
    "racks": { "nodes_per_rack": 2, "uplink": { "bandwidth": "10Gbps" } } } })";
  const std::string ring = R"({ "algorithm": "ring" })";
  const Advice advice =
      advice_on(source_of(racks, ring, R"(, "changes": [{ "at": "0s", "switch": "rack0", "bandwidth": "5Gbps" }])"));
  CHECK(seconds_of(advice) == Approx(0.24).epsilon(1e-9));
  CHECK(gain_of(advice, "uplinks x 2") == Approx(0).margin(1e-9));
  CHECK(gain_of(advice, "unlimited uplinks") == Approx(0).margin(1e-9));
  CHECK(gain_of(advice, "NICs x 2") == Approx(0).margin(1e-9));
  CHECK(gain_of(advice, "unlimited NICs") == Approx(0).margin(1e-9));
  CHECK(gain_of(advice, "NICs and uplinks x 2") == Approx(0.5).epsilon(1e-9));
  // Four steps of a ring of three with 33.3 MB each: 53.3 ms at 5 Gbps. The link from node 0 to node 1 belongs to the
  // network, its cable to the switch is a NIC's.
  const std::string graph = R"({ "nodes": 3, "network": { "topology": "graph", "switches": ["a"], "links": [
    { "from": 0, "to": "a", "bandwidth": "10Gbps" }, { "from": 1, "to": "a", "bandwidth": "10Gbps" },
    { "from": 2, "to": "a", "bandwidth": "10Gbps" }, { "from": 0, "to": 1, "bandwidth": "10Gbps" }] } })";
  const Advice node = advice_on(source_of(graph, ring, R"(, "changes": [
    { "at": "0s", "nodes": 0, "bandwidth": "5Gbps", "compute_speed": 0.5, "latency": "1us", "period": "10s" }])",
                                          "93.75MB"));
  CHECK(seconds_of(node) == Approx(0.2 + 4e-6).epsilon(1e-6));
  CHECK(gain_of(node, "unlimited links between nodes") == Approx(0).margin(1e-9));
  CHECK(gain_of(node, "unlimited NICs") == Approx(0).margin(1e-9));
  CHECK(gain_of(node, "NICs and links between nodes x 2") == Approx(0.5).epsilon(1e-4));
}

TEST_CASE("what lies in series with NICs is also made faster together with them") {
  // Six steps of 12.5 MB. Without GPUDirect, they cross the host's memory twice: 10 of 20 GB/s, as fast as the NIC.
  const std::string host = R"({ "nodes": 4, "network": { "topology": "star" }, "node": { "gpus": 1, "intra": "pcie",
    "nics": 1, "nic": { "bandwidth": "10GB/s" }, "gpu": "A100", "pcie": { "bandwidth": "40GB/s" }, "gpudirect": false,
    "host_memory": { "bandwidth": "20GB/s" } } })";
  const std::string ring = R"({ "algorithm": "ring" })";
  const Advice memory = advice_on(source_of(host, ring, "", "50MB"));
  CHECK(seconds_of(memory) == Approx(0.0075).epsilon(1e-9));
  CHECK(gain_of(memory, "NICs x 2") == Approx(0).margin(1e-9));
  CHECK(gain_of(memory, "links and memory of the hosts x 2") == Approx(0).margin(1e-9));
  CHECK(gain_of(memory, "NICs, links and memory of the hosts x 2") == Approx(0.5).epsilon(1e-9));
  // A codec engine takes 32 bytes per cycle of 200 MHz, 6.4 GB/s: compressed to a fifth, that is 10.24 Gbps.
  const std::string engines = R"({ "nodes": 4, "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } },
    "nic": { "clock_mhz": 200 } })";
  const std::string compressed = ring + R"(, "compression": { "ratio": 5, "placement": "nic" })";
  const Advice codec = advice_on(source_of(engines, compressed, "", "50MB"));
  CHECK(gain_of(codec, "2 codec engines in each NIC") == Approx(0).margin(1e-3));
  CHECK(gain_of(codec, "NICs x 2") < 0.2);
  CHECK(gain_of(codec, "NICs x 2 and 2 codec engines in each NIC") == Approx(0.5).epsilon(1e-3));
}
