// The verdict about links and GPUs that are down: cases derived by hand. A ring of four sends 20 MB six times at 1
// GB/s: 120 ms.
#include "analysis/run/result/outages.hpp"
#include "sim/result/result.hpp"
#include "tests/analysis/run/result/verdict_cases.hpp"

#include <vector>

using namespace gradflight;
using namespace gradflight::verdict_cases;

namespace {

std::string outage_of(const char* what, const char* from, const char* until) {
  return fmt::format(R"({{ "at": "{1}", {0}, "state": "down" }}, {{ "at": "{2}", {0}, "state": "up" }})", what, from,
                     until);
}

std::string verdict_with(const std::string& platform, const std::string& exchange, const std::string& changes,
                         const std::string& workload = gradient) {
  const Outcome o = evaluated(platform, exchange, R"(, "changes": [)" + changes + "]", workload);
  double all = 0;
  for (const Bound& bound : o.bounds) all += bound.share;
  CHECK(all == Approx(1).epsilon(1e-12));
  return o.verdict;
}

} // namespace

TEST_CASE("each outage has its own name and its own time") {
  // The rank that waits for node 1 makes all others wait: 20 ms, and then 10 ms for node 2.
  CHECK(verdict_with(star_of(4), ring,
                     outage_of(R"("link": "node1.up")", "30ms", "50ms") + "," +
                         outage_of(R"("link": "node2.up")", "90ms", "100ms")) ==
        "The NICs bound the step: 80.0 % of 150 ms; then waiting for node1.up, down from 30 ms to 50 ms: 13.3 %, "
        "waiting for node2.up, down from 90 ms to 100 ms: 6.7 %.");
  CHECK(verdict_with(star_of(4), ring,
                     outage_of(R"("link": "node1.up")", "30ms", "35ms") + "," +
                         outage_of(R"("link": "node2.up")", "90ms", "130ms")) ==
        "The NICs bound the step: 72.7 % of 165 ms; then waiting for node2.up, down from 90 ms to 130 ms: 24.2 %, "
        "waiting for node1.up, down from 30 ms to 35 ms: 3.0 %.");
}

TEST_CASE("an outage that nobody waited for is not counted with one that cost time") {
  // Node 2 receives until 80 ms; it sends from 80 ms to 180 ms, and is down for 20 ms of these.
  CHECK(verdict_with(star_of(4), tree,
                     outage_of(R"("link": "node2.up")", "10ms", "40ms") + "," +
                         outage_of(R"("link": "node2.up")", "100ms", "120ms")) ==
        "The NICs bound the step: 94.1 % of 340 ms; then waiting for node2.up, down from 100 ms to 120 ms: 5.9 %.");
}

TEST_CASE("a link that is down often is told once") {
  // 5 ms four times.
  std::string often;
  for (const int at : {10, 30, 50, 70})
    often += (often.empty() ? "" : ",") +
             outage_of(R"("link": "node1.up")", fmt::format("{}ms", at).c_str(), fmt::format("{}ms", at + 5).c_str());
  CHECK(verdict_with(star_of(4), ring, often) ==
        "The NICs bound the step: 85.7 % of 140 ms; then waiting for node1.up, down 4 "
        "times from 10 ms to 75 ms: 14.3 %.");
}

TEST_CASE("a change of a switch, NIC or node lends its name to what it takes down") {
  const std::string racks = R"({ "nodes": 4, "network": { "topology": "racks", "link": { "bandwidth": "8Gbps" },
    "racks": { "nodes_per_rack": 2, "oversubscription": 1 } } })";
  CHECK(verdict_with(racks, ring, outage_of(R"("switch": "rack1")", "30ms", "50ms")) ==
        "The NICs bound the step: 85.7 % of 140 ms; then waiting for switch rack1, down from 30 ms to 50 ms: 14.3 %.");
  CHECK(verdict_with(star_of(4), ring, outage_of(R"("nic": "node1")", "30ms", "50ms")) ==
        "The NICs bound the step: 85.7 % of 140 ms; then waiting for NIC node1, down from 30 ms to 50 ms: 14.3 %.");
}

TEST_CASE("a GPU that is down is waited for, and is none of the slowest ranks") {
  // 60 ms of passes, 20 ms of waiting, 80 ms of the ring.
  for (const auto& [what, name] : {std::pair(R"("gpu": 1)", "GPU 1"), std::pair(R"("nodes": 1)", "node 1")})
    CHECK(verdict_with(star_of(2), ring, outage_of(what, "30ms", "50ms"), trained) ==
          fmt::format("The NICs bound the step: 50.0 % of 160 ms; then compute 37.5 %, waiting for {}, down from 30 ms "
                      "to 50 ms: 12.5 %.",
                      name));
  // At half its speed for 20 ms it loses 10 ms: it is slow, but not down.
  CHECK(verdict_with(star_of(2), ring, R"({ "at": "30ms", "gpu": 1, "compute_speed": 0.5 },
                               { "at": "50ms", "gpu": 1, "compute_speed": 1 })",
                     trained) ==
        "The NICs bound the step: 53.3 % of 150 ms; then compute 40.0 %, the slowest ranks 6.7 %.");
}

TEST_CASE("of several outages each is named that the step waited for") {
  // 10 ms of a pass, of which 5 are left as GPU 0 goes down for 20 ms, and 40 ms of the ring. GPU 1 has nothing to do
  // while it is down.
  const std::string of_gpus = outage_of(R"("gpu": 0)", "5ms", "25ms") + "," + outage_of(R"("gpu": 1)", "32ms", "62ms");
  const std::string short_pass =
      R"({ "layers": [{ "backward": "10ms", "tensors": [{ "name": "g", "bytes": "40MB" }] }] })";
  CHECK(verdict_with(star_of(2), ring, of_gpus, short_pass) ==
        "The NICs bound the step: 57.1 % of 70 ms; then waiting for GPU 0, down from 5 ms to 25 ms: 28.6 %, compute "
        "14.3 %.");
  // 30 ms until the ring, which node 1 interrupts from 50 to 110 ms.
  CHECK(verdict_with(star_of(2), ring,
                     outage_of(R"("gpu": 0)", "5ms", "25ms") + "," + outage_of(R"("nodes": 1)", "50ms", "110ms"),
                     short_pass) ==
        "Waiting for node 1, down from 50 ms to 110 ms, bounds the step: 46.2 % of 130 ms; then the NICs 30.8 %, "
        "waiting for GPU 0, down from 5 ms to 25 ms: 15.4 %, compute 7.7 %.");
}

TEST_CASE("outages that begin together have their own names") {
  // Rack 0 is up again after 1 ms, node 1 in rack 1 after 60 ms.
  const std::string racks = R"({ "nodes": 2, "network": { "topology": "racks", "link": { "bandwidth": "8Gbps" },
    "racks": { "nodes_per_rack": 1, "uplink": { "bandwidth": "8Gbps" } } } })";
  const std::string sentence = verdict_with(racks, ring, R"({ "at": "15ms", "switch": "rack0", "state": "down" },
                                   { "at": "15ms", "nic": "node1", "state": "down" },
                                   { "at": "16ms", "switch": "rack0", "state": "up" },
                                   { "at": "75ms", "nic": "node1", "state": "up" })");
  CHECK(sentence.find("aiting for NIC node1, down from 15 ms to 75 ms") != std::string::npos);
  CHECK(sentence.find("switch rack0, down from 15 ms to 75 ms") == std::string::npos);
}

TEST_CASE("the mean step waits for each outage of the run") {
  // Two steps of 10 ms and 40 ms: GPU 0 is down for 20 ms of the first pass, GPU 1 for 10 ms of the second.
  const Outcome o = evaluated(star_of(2), std::string(R"({ "algorithm": "ring" }, "iterations": 2)"),
                              R"(, "changes": [)" + outage_of(R"("gpu": 0)", "5ms", "25ms") + "," +
                                  outage_of(R"("gpu": 1)", "75ms", "85ms") + "]",
                              std::string(R"({ "layers": [{ "backward": "10ms",
                                               "tensors": [{ "name": "g", "bytes": "40MB" }] }] })"));
  CHECK(o.result.time == Approx(0.13).epsilon(1e-12));
  REQUIRE(o.mean);
  const auto share_of = [&](const char* name) {
    for (const Bound& bound : o.mean->bounds)
      if (bound.name.find(name) != std::string::npos) return bound.share;
    return 0.0;
  };
  CHECK(share_of("GPU 0, down from 5 ms to 25 ms") == Approx(20.0 / 130).epsilon(1e-9));
  CHECK(share_of("GPU 1, down from 75 ms to 85 ms") == Approx(10.0 / 130).epsilon(1e-9));
}

TEST_CASE("an outage is named with its own time, though the run's path goes on by another worker") {
  // Two workers and a server send 40 MB: 20 ms of passes and 160 ms by the server's cable. In the second step, from 180
  // ms on, node 0 waits 5 ms and node 1 waits 30 ms.
  const Outcome o = evaluated(star_of(2), std::string(R"({ "algorithm": "parameter_server" }, "iterations": 5)"),
                              R"(, "changes": [)" + outage_of(R"("link": "node0.up")", "200ms", "205ms") + "," +
                                  outage_of(R"("link": "node1.down")", "345ms", "375ms") + "]",
                              std::string(R"({ "layers": [{ "backward": "20ms",
                                               "tensors": [{ "name": "g", "bytes": "40MB" }] }] })"));
  CHECK(
      o.verdict.starts_with("Step 2 of 5 is the slowest, 202.5 ms (waiting for node1.down, down from 345 ms to 375 ms: "
                            "30 ms, and waiting for node0.up, down from 200 ms to 205 ms: 5 ms); "));
  const IterationResult& second = o.result.iterations[1];
  REQUIRE(second.events.outages.size() == 2);
  CHECK(second.events.outages[0].seconds + second.events.outages[1].seconds ==
        Approx(at(second.path, Part::outage) - at(o.result.iterations[0].path, Part::outage)).epsilon(1e-12));
}

TEST_CASE("the verdict on a pipeline names the outage in the step that it is about") {
  // Step 6 of 8, from 220 to 270 ms, is the last one before the pipeline drains; node 0 is down after it.
  const auto piped = [](const std::string& more) {
    return evaluated(star_of(2),
                     std::string(R"({ "algorithm": "ring" }, "overlap": { "pipelined": 2 }, "iterations": 8)"),
                     R"(, "changes": [)" + outage_of(R"("link": "node1.down")", "230ms", "240ms") + more + "]",
                     std::string(R"({ "layers": [{ "backward": "20ms",
                                      "tensors": [{ "name": "g", "bytes": "40MB" }] }] })"));
  };
  const std::string sentence =
      "Step 6 of 8 is the slowest, 50 ms (waiting for node1.down, down from 230 ms to 240 ms: 10 ms); step 2 is the "
      "fastest, 40 ms. The rest is about step 6. The NICs bound the step: 80.0 % of 50 ms; then waiting for "
      "node1.down, "
      "down from 230 ms to 240 ms: 20.0 %.";
  CHECK(piped("").verdict == sentence);
  const Outcome two = piped(", " + outage_of(R"("link": "node0.up")", "310ms", "320ms"));
  CHECK(two.verdict == sentence);
  CHECK(two.result.time > piped("").result.time + 0.009);
}

TEST_CASE("outages of which none stands out have one name together") {
  RunResult result;
  std::vector<LinkOutage> outages;
  for (int node = 0; node < 8; ++node) {
    result.links.push_back({});
    result.links.back().name = fmt::format("node{}.up", node);
    outages.push_back({.link = node, .seconds = 0.005, .from = 0.01 * node, .until = 0.01 * node + 0.005, .times = 1});
  }
  const std::vector<NamedOutage> alike = link_outages(Scenario(), result, outages, 0.04);
  REQUIRE(alike.size() == 1);
  CHECK(alike.front().name == "8 outages");
  CHECK(alike.front().seconds == Approx(0.04).epsilon(1e-12));
  // One that is longer than the others together is named, and so are the next two.
  outages[3].until += 0.5;
  outages[3].seconds += 0.5;
  const std::vector<NamedOutage> one = link_outages(Scenario(), result, outages, 0.54);
  REQUIRE(one.size() == 4);
  CHECK(one.front().name == "node3.up, down from 30 ms to 535 ms");
  CHECK(one.back().name == "5 other outages");
}
