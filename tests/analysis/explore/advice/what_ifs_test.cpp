// The effect of each what-if: it changes exactly the links that it names, despite overrides and changes.
#include "tests/analysis/explore/advice/advice_cases.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <tuple>
#include <vector>

using namespace gradflight;
using namespace gradflight::test;

namespace {

const std::string server = R"({ "algorithm": "parameter_server" })";
const std::string ring = R"({ "algorithm": "ring" })";

} // namespace

TEST_CASE("a server's NIC is lifted from the rate that it has, and workers' NICs stay") {
  // 400 MB into the server at 2.5 GB/s and out again take 0.16 s each. At 5 GB/s, the workers' 4 x 1.25 GB/s are just
  // sufficient.
  const Advice fast =
      advice_on(source_of(star_with(R"(, "overrides": [{ "nodes": 4, "bandwidth": "20Gbps" }])"), server));
  CHECK(seconds_of(fast) == Approx(0.32).epsilon(1e-9));
  CHECK(gain_of(fast, "servers' NICs x 2") == Approx(0.5).epsilon(1e-9));
  CHECK(gain_of(fast, "NICs x 2") == Approx(0).margin(1e-9));
  // The change also slows a worker's NIC to 0.625 GB/s. The server allows it a quarter of this, later half.
  const std::string slowed = R"(, "changes": [{ "at": "0s", "nodes": "3-4", "bandwidth": "5Gbps" }])";
  const Advice slow = advice_on(source_of(star_with(""), server, slowed));
  CHECK(seconds_of(slow) == Approx(1.28).epsilon(1e-9));
  CHECK(gain_of(slow, "servers' NICs x 2") == Approx(0.5).epsilon(1e-9));
  // Then the slow worker sends and receives 100 MB at 0.625 GB/s.
  CHECK(gain_of(slow, "unlimited servers") == Approx(1 - 0.32 / 1.28).epsilon(1e-9));
  CHECK(gain_of(slow, "unlimited NICs") == Approx(0).margin(1e-9));
  CHECK(gain_of(slow, "unlimited NICs of workers and servers") > 0.999);
  // Separate rates for each direction: 0.16 s in at 2.5 GB/s and 0.64 s out at 0.625 GB/s; then 0.08 and 0.32 s.
  const Advice shaped = advice_on(source_of(
      R"({ "nodes": 4, "network": { "topology": "star", "link": { "bandwidth": "10Gbps", "egress_bandwidth": "5Gbps" } },
           "overrides": [{ "nodes": 4, "ingress_bandwidth": "20Gbps" }, { "nodes": "0-3", "bandwidth": "20Gbps" }] })",
      server));
  CHECK(seconds_of(shaped) == Approx(0.8).epsilon(1e-9));
  CHECK(gain_of(shaped, "servers' NICs x 2") == Approx(0.5).epsilon(1e-9));
}

TEST_CASE("workers' NICs are lifted without the servers'") {
  // 400 MB at the server's 1.25 GB/s take 0.32 s in and out. Without this limit, each worker's 100 MB take 0.08 s.
  const Advice plain = advice_on(source_of(star_with(""), server));
  CHECK(seconds_of(plain) == Approx(0.64).epsilon(1e-9));
  CHECK(plain.step.bounds.front().what == Bounding::server);
  CHECK(gain_of(plain, "unlimited NICs") == Approx(0).margin(1e-9));
  CHECK(gain_of(plain, "unlimited servers") == Approx(0.75).epsilon(1e-9));
  CHECK(gain_of(plain, "unlimited NICs of workers and servers") > 0.999);
  // The third rack contains only the server, with an uplink of 2 x 10 / 4 = 5 Gbps: 0.64 s in and out.
  const std::string racks = R"({ "nodes": 4, "network": { "topology": "racks", "link": { "bandwidth": "10Gbps" },
    "racks": { "nodes_per_rack": 2, "oversubscription": 4 } } })";
  const Advice far = advice_on(source_of(racks, server));
  CHECK(seconds_of(far) == Approx(1.28).epsilon(1e-9));
  CHECK(gain_of(far, "unlimited NICs") == Approx(0).margin(1e-9));
  CHECK(gain_of(far, "unlimited uplinks") == Approx(0.5).epsilon(1e-9));
  CHECK(gain_of(far, "unlimited NICs and uplinks") == Approx(0.5).epsilon(1e-9));
  CHECK(gain_of(far, "unlimited servers' NICs and uplinks") == Approx(1 - 0.16 / 1.28).epsilon(1e-5));
  // The server's cable holds all messages up. An uplink of 20 Gbps is the next limit after it, then a worker's NIC.
  const std::string wide = R"({ "nodes": 4, "network": { "topology": "racks", "link": { "bandwidth": "10Gbps" },
    "racks": { "nodes_per_rack": 2, "oversubscription": 1 } } })";
  const Advice near = advice_on(source_of(wide, server));
  CHECK(seconds_of(near) == Approx(0.64).epsilon(1e-9));
  CHECK(near.step.bounds.front().what == Bounding::server);
  CHECK(near.step.bounds.front().share == Approx(1).epsilon(1e-9));
  CHECK(gain_of(near, "unlimited servers") == Approx(0.5).epsilon(1e-5));
  CHECK(gain_of(near, "unlimited servers' NICs and uplinks") == Approx(0.75).epsilon(1e-5));
  CHECK(gain_of(far, "uplinks x 2") == Approx(0.5).epsilon(1e-9));
}

TEST_CASE("the server's cable of a graph is told from the workers'") {
  std::string edges;
  for (int node = 0; node < 5; ++node)
    edges += fmt::format(R"({}{{ "from": {}, "to": "s", "bandwidth": "10Gbps", "latency": "0s" }})",
                         node > 0 ? ", " : "", node);
  const Advice advice = advice_on(source_of(
      R"({ "nodes": 4, "network": { "topology": "graph", "switches": ["s"], "links": [)" + edges + "] } }", server));
  CHECK(seconds_of(advice) == Approx(0.64).epsilon(1e-9));
  CHECK(gain_of(advice, "unlimited NICs") == Approx(0).margin(1e-9));
  CHECK(gain_of(advice, "unlimited servers") == Approx(0.75).epsilon(1e-9));
  CHECK(gain_of(advice, "servers' NICs x 2") == Approx(0.5).epsilon(1e-9));
}

TEST_CASE("latencies of overrides and of changes are lifted, and repaired") {
  // Six steps of a ring. A block of 1 MB takes 0.8 ms, plus 5 ms to and from node 2.
  struct Case {
    std::string platform, more, repair;
  };
  for (const auto& [more, changes, repair] : std::vector<Case>{
           {"", R"(, "changes": [{ "at": "0s", "nic": "node2", "latency": "5ms" }])", "node 2's cable like the others"},
           {"", R"(, "changes": [{ "at": "0s", "nodes": 2, "latency": "5ms" }])", "node 2's cable like the others"},
           {"", R"(, "changes": [{ "at": "0s", "link": "node2.down", "latency": "5ms" }])",
            "the link node2.down like the others"},
           {R"(, "overrides": [{ "nodes": 2, "latency": "5ms" }])", "", "node 2's cable like the others"},
           {R"(, "overrides": [{ "link": "node2.up", "latency": "5ms" }])", "", "the link node2.up like the others"}}) {
    INFO(more << changes);
    const Advice advice = advice_on(source_of(star_with(more), ring, changes, "4MB"));
    CHECK(seconds_of(advice) == Approx(6 * 5.8e-3).epsilon(1e-9));
    CHECK(gain_of(advice, repair) == Approx(1 - 0.8 / 5.8).epsilon(1e-9));
    CHECK(gain_of(advice, "no latency") == Approx(1 - 0.8 / 5.8).epsilon(1e-9));
    CHECK(gain_of(advice, "latency / 2") == Approx(1 - 3.3 / 5.8).epsilon(1e-9));
  }
  // A latency equal to the others' needs no repair.
  const Advice even = advice_on(source_of(star_with(R"(, "overrides": [{ "nodes": 2, "latency": "0s" }])"), ring));
  CHECK(find(even, "node 2's cable like the others") == nullptr);
}

TEST_CASE("a repaired node has the values of most other nodes, whatever other entries say about it") {
  const auto repaired = [](const char* overrides, const char* change) {
    const Advice advice = advice_on(source_of(star_with(fmt::format(R"(, "overrides": {})", overrides)), ring));
    const Tried* found = find(advice, change);
    return found == nullptr ? std::string("none") : found->what.set.front().second.dump();
  };
  // Node 0 gets an entry of its own.
  const char* nested = R"([{ "nodes": "0-1", "bandwidth": "5Gbps" }, { "nodes": 1, "bandwidth": "2.5Gbps" }])";
  CHECK(repaired(nested, "node 1's cable like the others") == R"([{"bandwidth":"625000000B/s","nodes":"0"}])");
  CHECK(repaired(nested, "the cables of nodes 0, 1 like the others") == "[]");
  // Without its entry, the node would have the network's 10 Gbps, which no other node has.
  CHECK(repaired(R"([{ "nodes": "0-2", "bandwidth": "20Gbps" }, { "nodes": 3, "bandwidth": "5Gbps" }])",
                 "node 3's cable like the others") ==
        R"([{"bandwidth":"2500000000B/s","nodes":"0-2"},{"nodes":"3","bandwidth":"2500000000B/s"}])");
}

TEST_CASE("a node of a graph that changes slow down is repaired") {
  std::string edges;
  for (int node = 0; node < 4; ++node)
    edges += fmt::format(R"({}{{ "from": {}, "to": "s", "bandwidth": "8Gbps", "latency": "0s" }})",
                         node > 0 ? ", " : "", node);
  const std::string graph =
      R"({ "nodes": 4, "network": { "topology": "graph", "switches": ["s"], "links": [)" + edges + "] } }";
  // Six steps of a ring with 25 MB each: 0.2 s at 1 Gbps, 0.025 s at 8 Gbps.
  const Advice advice =
      advice_on(source_of(graph, ring, R"(, "changes": [{ "at": "0s", "nodes": 2, "bandwidth": "1Gbps" }])"));
  CHECK(seconds_of(advice) == Approx(1.2).epsilon(1e-9));
  CHECK(gain_of(advice, "node 2's links like the others") == Approx(1 - 0.15 / 1.2).epsilon(1e-9));
}

TEST_CASE("an engine in the NIC that is slower than the wire binds, and more engines are offered") {
  // 17,124 packets of 1,460 bytes in each of six steps take 500 ns each in the engine, and 354.4 ns on the wire (365 +
  // 78 bytes).
  const ScenarioSource source{"nic.json", R"({ "platform": { "nodes": 4, "network": { "topology": "star",
      "link": { "bandwidth": "10Gbps" } } }, "workload": { "tensors": [{ "bytes": "100MB" }] },
    "training": { "exchange": { "algorithm": "ring" },
      "compression": { "codec": "inceptionn", "ratio": 4, "placement": "nic" } } })"};
  const Advice advice = advice_on(source);
  CHECK(seconds_of(advice) == Approx(6 * 17124 * 500e-9).epsilon(1e-3));
  REQUIRE(advice.step.bounds.size() == 2);
  CHECK(advice.step.bounds.front().what == Bounding::codec);
  CHECK(advice.step.bounds.back().share ==
        Approx(0).margin(1e-5)); // only a message's last burst has to wait for the wire
  CHECK(gain_of(advice, "unlimited NICs") == Approx(0).margin(1e-5));
  // Packets and their headers stay on the wire.
  CHECK(gain_of(advice, "2 codec engines in each NIC") == Approx(1 - 354.4 / 500).epsilon(1e-2));
  CHECK(gain_of(advice, "codec in no time") == Approx(1 - 354.4 / 500).epsilon(1e-2));
}

TEST_CASE("the last burst's time on the wire is the NIC's, even if an engine is slower than the wire") {
  // A message of 1,500 bytes has a packet of 1,460 and one of 40. The first, compressed to 92 bytes of tags and 200.5
  // of values, takes 48 us in the compressor and 6 through it. The wire then needs 2.92 us for its last 36.5 bytes, of
  // which 0.71 us pass while the last 4.5 of them gather. The decompressor takes 0.5 + 50 + 5 + 3 us for both packets.
  const ScenarioSource source{"nic.json", R"({ "platform": { "nodes": 8, "network": { "topology": "star",
      "link": { "bandwidth": "100Mbps" } }, "nic": { "clock_mhz": 1, "width_bits": 256, "engines": 1 } },
    "workload": { "tensors": [{ "bytes": "12KB" }] },
    "training": { "exchange": { "algorithm": "ring" }, "compression": { "ratio": 5, "placement": "nic" } } })"};
  const Advice advice = advice_on(source);
  CHECK(seconds_of(advice) == Approx(14 * (54 + 2.21 + 58.5) * 1e-6).epsilon(1e-4));
  REQUIRE(advice.step.bounds.size() == 2);
  CHECK(advice.step.bounds.back().what == Bounding::nic);
  CHECK(advice.step.bounds.back().share == Approx(2.21 / 114.71).epsilon(1e-2));
  CHECK(gain_of(advice, "unlimited NICs") == Approx(advice.step.bounds.back().share).epsilon(1e-5));
}

TEST_CASE("reductions of overrides are lifted, and repaired") {
  // A ring of four at 1.25 GB/s: 20 MB take 16 ms, six times; each node reduces 20 MB three times. Node 2 has 0.5 GB/s
  // and takes 40 ms each time; the others take 5 ms.
  const std::string slow =
      R"(, "reduce_bandwidth": "4GB/s", "overrides": [{ "nodes": 2, "reduce_bandwidth": "0.5GB/s" }])";
  const Advice advice = advice_on(source_of(star_with(slow), ring, "", "80MB"));
  CHECK(seconds_of(advice) == Approx(0.096 + 0.12).epsilon(1e-9));
  CHECK(gain_of(advice, "reduction in no time") == Approx(0.12 / 0.216).epsilon(1e-5));
  CHECK(gain_of(advice, "node 2's reduction like the others") == Approx(0.105 / 0.216).epsilon(1e-9));
  // If only the override gives a rate, reduction takes no time on the others.
  const Advice alone = advice_on(
      source_of(star_with(R"(, "overrides": [{ "nodes": 2, "reduce_bandwidth": "0.5GB/s" }])"), ring, "", "80MB"));
  CHECK(gain_of(alone, "reduction in no time") == Approx(0.12 / 0.216).epsilon(1e-5));
  CHECK(gain_of(alone, "node 2's reduction like the others") == Approx(0.12 / 0.216).epsilon(1e-9));
  // A node that is as fast as the others needs no repair.
  const Advice even = advice_on(source_of(
      star_with(R"(, "reduce_bandwidth": "4GB/s", "overrides": [{ "nodes": 2, "reduce_bandwidth": "8GB/s" }])"), ring,
      "", "80MB"));
  CHECK(find(even, "node 2's reduction like the others") == nullptr);
}

TEST_CASE("unlimited servers reduce in no time, too") {
  // 80 MB from each of four workers at 1.25 GB/s: 256 ms in and out. Three reductions of 80 MB at 0.5 GB/s: 480 ms.
  const Advice advice = advice_on(source_of(star_with(R"(, "reduce_bandwidth": "0.5GB/s")"), server, "", "80MB"));
  CHECK(seconds_of(advice) == Approx(0.992).epsilon(1e-9));
  CHECK(advice.step.bounds.front().what == Bounding::server);
  // Then each worker sends and receives 80 MB, 64 ms each way. The gain is exactly the verdict's share of 192 + 480 +
  // 192 ms.
  CHECK(gain_of(advice, "unlimited servers") == Approx(1 - 0.128 / 0.992).epsilon(1e-5));
  CHECK(gain_of(advice, "reduction in no time") == Approx(0.48 / 0.992).epsilon(1e-5));
  // An override of the server's reduction is also removed.
  const Advice overridden = advice_on(source_of(
      star_with(R"(, "reduce_bandwidth": "4GB/s", "overrides": [{ "nodes": 4, "reduce_bandwidth": "0.5GB/s" }])"),
      server, "", "80MB"));
  CHECK(gain_of(overridden, "unlimited servers") == Approx(1 - 0.128 / 0.992).epsilon(1e-5));
}

TEST_CASE("unlimited servers update in no time, too") {
  // As above without reductions: 256 ms each way, and an update of 200 ms on the server.
  const ScenarioSource updated{"case.json", fmt::format(R"({{ "platform": {}, "workload": {{ "update": "200ms",
        "tensors": [{{ "name": "g", "bytes": "80MB" }}] }}, "training": {{ "exchange": {} }} }})",
                                                        star_with(""), server)};
  const Advice advice = advice_on(updated);
  CHECK(seconds_of(advice) == Approx(0.712).epsilon(1e-9));
  CHECK(gain_of(advice, "unlimited servers") == Approx(1 - 0.128 / 0.712).epsilon(1e-5));
}

TEST_CASE("a slow node's GPU is repaired alone, and faster reductions are offered") {
  // A ring of four at 1.25 GB/s: 20 MB take 16 ms, six times, and three reductions of 5 ms. Passes take 60 ms; node 2's
  // take 120.
  const std::string slow = R"(, "reduce_bandwidth": "4GB/s", "overrides": [{ "nodes": 2, "compute_speed": 0.5 }])";
  const ScenarioSource trained{
      "case.json", fmt::format(R"({{ "platform": {}, "workload": {{ "layers": [{{ "name": "l", "forward": "20ms",
        "backward": "40ms", "tensors": [{{ "name": "g", "bytes": "80MB" }}] }}] }},
        "training": {{ "exchange": {} }} }})",
                               star_with(slow), ring)};
  const Advice advice = advice_on(trained);
  CHECK(seconds_of(advice) == Approx(0.231).epsilon(1e-9));
  CHECK(gain_of(advice, "node 2's GPU like the others") == Approx(0.06 / 0.231).epsilon(1e-9));
  CHECK(gain_of(advice, "reduction x 2") == Approx(0.0075 / 0.231).epsilon(1e-9));
}

TEST_CASE("merging is named, and lifted") {
  // gTop-k of four ranks: 1 % of 20 million values with 8 bytes each, twice up and twice down, 1.28 ms each. Two merges
  // of 1.6 MB at 0.1 GB/s take 32 ms.
  const Advice advice = advice_on(source_of(
      star_with(""), R"({ "algorithm": "gtopk", "density": 0.01, "merge_bandwidth": "0.1GB/s" })", "", "80MB"));
  CHECK(seconds_of(advice) == Approx(4 * 1.28e-3 + 0.032).epsilon(1e-9));
  CHECK(advice.step.bounds.front().noun() == "merging");
  CHECK(advice.step.verdict.starts_with("Merging bounds the step: 86.2 % of 37.12 ms; then the NICs 13.8 %"));
  CHECK(gain_of(advice, "merging in no time") == Approx(0.032 / 0.03712).epsilon(1e-5));
  CHECK(gain_of(advice, "merging x 2") == Approx(0.016 / 0.03712).epsilon(1e-9));
}

TEST_CASE("an override of the server hides no other algorithm") {
  // 320 MB into the server at 4 Gbps and out again take 1.28 s. A ring takes six times 16 ms.
  const Advice advice =
      advice_on(source_of(star_with(R"(, "overrides": [{ "nodes": 4, "bandwidth": "4Gbps" }])"), server, "", "80MB"));
  CHECK(seconds_of(advice) == Approx(1.28).epsilon(1e-9));
  CHECK(gain_of(advice, "ring") == Approx(1 - 0.096 / 1.28).epsilon(1e-9));
  // Overrides of workers stay.
  const Advice both = advice_on(
      source_of(star_with(R"(, "overrides": [{ "nodes": "3-4", "bandwidth": "4Gbps" }])"), server, "", "80MB"));
  CHECK(gain_of(both, "ring") == Approx(1 - 0.24 / 1.28).epsilon(1e-9));
}

TEST_CASE("what names the server hides no other algorithm") {
  // 200 MB into the server of a graph at 5 Gbps and out again take 0.64 s. Two steps of a ring with 50 MB: 80 ms.
  const std::string graph = R"({ "nodes": 2, "network": { "topology": "graph", "switches": ["a"], "links": [
    { "from": 0, "to": "a", "bandwidth": "10Gbps" }, { "from": 1, "to": "a", "bandwidth": "10Gbps" },
    { "from": 2, "to": "a", "bandwidth": "5Gbps" }] })";
  const Advice edge = advice_on(source_of(graph + "}", server));
  CHECK(seconds_of(edge) == Approx(0.64).epsilon(1e-9));
  CHECK(gain_of(edge, "ring") == Approx(1 - 0.08 / 0.64).epsilon(1e-9));
  // Overrides and changes of this link, too; those of other links stay: 50 MB at 5 Gbps take 80 ms.
  const Advice entries = advice_on(source_of(
      graph +
          R"(, "overrides": [{ "link": "2->a", "bandwidth": "4Gbps" }, { "link": "0->a", "bandwidth": "5Gbps" }] })",
      server, R"(, "changes": [{ "at": "0s", "link": "a->2", "bandwidth": "4Gbps" }])"));
  CHECK(seconds_of(entries) == Approx(0.8).epsilon(1e-9));
  CHECK(gain_of(entries, "ring") == Approx(1 - 0.16 / 0.8).epsilon(1e-9));
  // 400 MB into the server at 10 Gbps and out again: 0.64 s. A flow to the server takes a fifth of its cable: 80 ms
  // more. Six steps of a ring with 25 MB: 120 ms.
  for (const auto& [traffic, time, ring_time] : std::vector<std::tuple<const char*, double, double>>{
           {R"({ "from": 0, "to": 4 })", 0.72, 0.12},
           {R"({ "from": [0, 4], "to": 1 })", 0.72, 0.24},
           {R"({ "from": 0, "to": [1, 4], "arrivals": "periodic", "every": "100s", "bytes": "1B" })", 0.64, 0.12}}) {
    INFO(traffic);
    const Advice advice = advice_on(source_of(star_with(""), server, fmt::format(R"(, "traffic": [{}])", traffic)));
    CHECK(seconds_of(advice) == Approx(time).epsilon(1e-6));
    CHECK(gain_of(advice, "ring") == Approx(1 - ring_time / time).epsilon(1e-6));
  }
  // The third rack contains only the server.
  const std::string racks = R"({ "nodes": 4, "network": { "topology": "racks", "link": { "bandwidth": "10Gbps" },
    "racks": { "nodes_per_rack": 2, "oversubscription": 1 } }, "overrides": [{ "link": "rack2.up", "latency": "1ms" }] })";
  const Advice rack =
      advice_on(source_of(racks, server, R"(, "changes": [{ "at": "1s", "switch": "rack2", "bandwidth": "5Gbps" }])"));
  CHECK(seconds_of(rack) == Approx(0.641).epsilon(1e-9));
  CHECK(gain_of(rack, "ring") == Approx(1 - 0.12 / 0.641).epsilon(1e-9));
}

TEST_CASE("no stragglers lifts only what is slower than the median") {
  const auto trained = [](const std::string& more, const std::string& changes, const char* training = "") {
    return ScenarioSource{"case.json", fmt::format(R"({{ "platform": {}, "workload": {{ "layers": [{{ "name": "l",
      "forward": "10ms", "backward": "20ms", "tensors": [{{ "name": "g", "bytes": "100MB" }}] }}] }},
      "training": {{ "exchange": {}{} }}{} }})",
                                                   star_with(more), ring, training, changes)};
  };
  // Passes of 30 ms take 60 ms at half speed; a ring takes 120 ms. Nobody is slower than the others.
  for (const char* changes : {R"(, "changes": [{ "at": "0s", "nodes": "0-3", "compute_speed": 0.5 }])",
                              R"(, "changes": [{ "at": "0s", "nodes": "0-1", "compute_speed": 0.5 },
          { "at": "0s", "nodes": 2, "compute_speed": 0.5 }, { "at": "0s", "gpu": 3, "compute_speed": 0.5 }])"}) {
    const Advice even = advice_on(trained("", changes));
    CHECK(seconds_of(even) == Approx(0.18).epsilon(1e-9));
    CHECK(find(even, "no stragglers") == nullptr);
    CHECK(gain_of(even, "compute in no time") == Approx(0.06 / 0.18).epsilon(1e-5));
  }
  // All are slow, one slower: 120 ms. The median takes 60 ms. The cable's change stays.
  const Advice one = advice_on(trained("", R"(, "changes": [{ "at": "0s", "nodes": "0-2", "compute_speed": 0.5 },
    { "at": "0s", "nodes": 3, "compute_speed": 0.25, "bandwidth": "5Gbps" }])"));
  CHECK(seconds_of(one) == Approx(0.36).epsilon(1e-9));
  CHECK(gain_of(one, "no stragglers") == Approx(0.06 / 0.36).epsilon(1e-9));
  // Node 0 is slower by an override until all are as slow: two steps of 60 + 120 ms, and of 30 + 120 ms at first.
  const Advice later = advice_on(trained(R"(, "overrides": [{ "nodes": 0, "compute_speed": 0.5 }])",
                                         R"(, "changes": [{ "at": "150ms", "nodes": "1-3", "compute_speed": 0.5 }])",
                                         R"(, "iterations": 2)"));
  CHECK(later.step.time == Approx(0.36).epsilon(1e-9));
  CHECK(gain_of(later, "no stragglers") == Approx(0.03 / 0.36).epsilon(1e-9));
  // In each period of 170 ms, node 0 is slow for the first 40 ms: 20 ms of work, then 10 ms more.
  const Advice repeating = advice_on(trained("", R"(, "changes": [
    { "at": "0s", "nodes": 0, "compute_speed": 0.5, "period": "170ms" },
    { "at": "40ms", "nodes": 0, "compute_speed": 1, "period": "170ms" }])",
                                             R"(, "iterations": 2)"));
  CHECK(repeating.step.time == Approx(0.34).epsilon(1e-9));
  CHECK(gain_of(repeating, "no stragglers") == Approx(0.04 / 0.34).epsilon(1e-9));
  CHECK(find(repeating, "without the changes") == nullptr); // no other change than stragglers
}

TEST_CASE("sparse exchanges are offered dense ones") {
  // 15 steps of an all-gather ring with 2.5 million entries of 8 bytes: 16 ms each. A dense ring has 30 steps of 5 ms.
  const Advice advice =
      advice_on(source_of(R"({ "nodes": 16, "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } } })",
                          R"({ "algorithm": "topk_allgather", "density": 0.1, "all_gather": "ring" })"));
  CHECK(seconds_of(advice) == Approx(0.24).epsilon(1e-9));
  CHECK(gain_of(advice, "ring, with dense gradients") == Approx(1 - 0.15 / 0.24).epsilon(1e-9));
  CHECK(find(advice, "ring, with dense gradients")->what.fidelity == Fidelity::exact);
  CHECK(gain_of(advice, "lists gathered by recursive doubling") == Approx(0).margin(1e-9));
}

TEST_CASE("sharded exchanges are offered other schedules of their halves") {
  // Eight nodes at 100 Gbps with 2 ms of latency: a block of 1 MB takes 0.08 ms. Each half has seven steps of a ring,
  // or three steps with seven blocks in all.
  const Advice advice = advice_on(source_of(
      R"({ "nodes": 8, "network": { "topology": "star", "link": { "bandwidth": "100Gbps", "latency": "1ms" } } })",
      R"({ "algorithm": "sharded", "stage": 2 })", "", "8MB"));
  const double ring_half = 7 * 2.08e-3, halving_half = 3 * 2e-3 + 7 * 0.08e-3;
  CHECK(seconds_of(advice) == Approx(2 * ring_half).epsilon(1e-9));
  const auto time = [&](const char* change) { return seconds_of(advice) * (1 - gain_of(advice, change)); };
  CHECK(time("scattered by recursive halving, gathered by recursive doubling") ==
        Approx(2 * halving_half).epsilon(1e-9));
  CHECK(time("scattered by recursive halving, gathered by a ring") == Approx(ring_half + halving_half).epsilon(1e-9));
  CHECK(time("scattered by a ring, gathered by recursive doubling") == Approx(ring_half + halving_half).epsilon(1e-9));
}

TEST_CASE("compute is lifted in workloads without a backward pass") {
  // 10 ms, and two halves of 1 MB at 1.25 GB/s: 10.8 ms.
  for (const char* work : {R"("layers": [{ "forward": "10ms", "tensors": [{ "bytes": "1MB" }] }])",
                           R"("tensors": [{ "bytes": "1MB" }], "update": "10ms")"}) {
    INFO(work);
    const Advice advice =
        advice_on({"case.json", fmt::format(R"({{ "platform": {{ "nodes": 2, "network": {{ "topology": "star",
                                      "link": {{ "bandwidth": "10Gbps" }} }} }},
                                      "workload": {{ {} }}, "training": {{ "exchange": {{ "algorithm": "ring" }} }} }})",
                                            work)});
    CHECK(seconds_of(advice) == Approx(10.8e-3).epsilon(1e-9));
    CHECK(gain_of(advice, "compute in no time") == Approx(10 / 10.8).epsilon(1e-6));
  }
}
