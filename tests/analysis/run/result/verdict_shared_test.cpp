// Links that messages share: what they leave each message decides what holds it up.
#include "tests/analysis/run/result/verdict_cases.hpp"

using namespace gradflight;
using namespace gradflight::verdict_cases;

TEST_CASE("a shared uplink that leaves each message its NIC's rate ties with the NIC") {
  // Each of two steps takes 80 ms. In the second, two messages fill an uplink of 20 Gbps, and each fills its NIC.
  const Outcome o =
      evaluated(std::string(R"({ "nodes": 4, "network": { "topology": "racks", "link": { "bandwidth": "10Gbps" },
                                "racks": { "nodes_per_rack": 2, "oversubscription": 1 } } })"),
                doubling);
  CHECK(sentence(o) == "The NICs bound the step: 75.0 % of 160 ms; then the uplinks 25.0 %.");
  // Two GPUs of a node have half of its NIC each, and four GPUs of a rack a quarter of its uplink. So both links tie
  // for the 160 ms that a message takes, though alone, it would take half of it and fill its NIC only.
  const Outcome shared = evaluated(
      std::string(
          R"({ "nodes": 4, "gpus_per_node": 2, "intra_node": { "kind": "nvlink", "link": { "bandwidth": "1TB/s" } },
                       "network": { "topology": "racks", "link": { "bandwidth": "10Gbps" },
                                    "racks": { "nodes_per_rack": 2, "oversubscription": 1 } } })"),
      doubling);
  CHECK(share(shared, Bounding::nic) == Approx(0.75).epsilon(1e-3));
  CHECK(share(shared, Bounding::uplink) == Approx(0.25).epsilon(1e-3));
}

TEST_CASE("a shared link that leaves messages less than their NICs holds them up for all of their time") {
  // NICs carry 1 GB/s. In racks of four, recursive doubling takes two turns of 100 ms inside; then four messages share
  // an uplink of 1.5 GB/s for 400 / 1.5 ms. Faster NICs would not shorten this turn.
  const auto racks = [](const char* uplink) {
    return fmt::format(R"({{ "nodes": 8, "network": {{ "topology": "racks", "link": {{ "bandwidth": "8Gbps" }},
      "racks": {{ "nodes_per_rack": 4, "uplink": {{ "bandwidth": "{}" }} }} }} }})",
                       uplink);
  };
  const Outcome wider = evaluated(racks("12Gbps"), doubling);
  CHECK(wider.result.iteration_time == Approx(0.2 + 0.4 / 1.5).epsilon(1e-12));
  CHECK(share(wider, Bounding::nic) == Approx(0.2 / (0.2 + 0.4 / 1.5)).epsilon(1e-9));
  CHECK(sentence(wider) == "The uplinks bound the step: 57.1 % of 466.667 ms; then the NICs 42.9 %.");
  CHECK(sentence(evaluated(racks("8Gbps"), doubling)) ==
        "The uplinks bound the step: 66.7 % of 600 ms; then the NICs 33.3 %.");
  // Four workers send 80 MB each to a server whose cable carries 3 GB/s, and get as much from it: 2 * 320 / 3 ms, while
  // their NICs are busy for three quarters of the time.
  const Outcome served = evaluated(star_of(4, R"(, "overrides": [{ "nodes": [4], "bandwidth": "24Gbps" }])"),
                                   std::string(R"({ "algorithm": "parameter_server" })"), std::string(), gradient);
  CHECK(served.result.iteration_time == Approx(0.64 / 3).epsilon(1e-12));
  CHECK(sentence(served) == "The server bounds the step: 100.0 % of 213.333 ms.");
  // Two workers leave a cable of 3 GB/s idle for a third of the time: their NICs hold them up.
  const Outcome idle = evaluated(star_of(2, R"(, "overrides": [{ "nodes": [2], "bandwidth": "24Gbps" }])"),
                                 std::string(R"({ "algorithm": "parameter_server" })"), std::string(), gradient);
  CHECK(sentence(idle) == "The NICs bound the step: 100.0 % of 160 ms.");
}

TEST_CASE("what joins a link that is full holds nothing up: the path leads through the message that came first") {
  // Four workers push 100 MB each to a server whose cable carries 1.25 GB/s: full from the first push at 10 ms to 330
  // ms. The slow worker pushes from 200 ms on. Then 1 MB goes to each: 3.2 ms.
  const auto pushed = [](const char* slow) {
    return evaluate(
        prepare_changed({"case.json", fmt::format(R"({{ "platform": {{ "nodes": 4, "network": {{ "topology": "star",
          "link": {{ "bandwidth": "10Gbps" }} }}, "overrides": [{{ "nodes": 0, "compute_speed": {} }}] }},
        "workload": {{ "layers": [{{ "backward": "10ms", "tensors": [{{ "bytes": "100MB" }}] }}] }},
        "training": {{ "exchange": {{ "algorithm": "parameter_server" }},
          "compression": {{ "ratio": 100, "legs": ["pull"] }} }} }})",
                                                  slow)},
                        {}));
  };
  for (const char* slow : {"0.1", "0.05"})
    CHECK(sentence(pushed(slow)) == "The server bounds the step: 97.0 % of 333.2 ms; then compute 3.0 %.");
  // Pushing from 500 ms on, it finds an idle link: it has all of the time before, of which 10 ms are compute.
  CHECK(sentence(pushed("0.02")) ==
        "The slowest ranks bound the step: 84.0 % of 583.2 ms; then the server 7.4 %, the NICs 6.9 %, compute 1.7 %.");
  // The same with latency: the cable is full from 0 to 320 ms, then back from 320 to 640 ms.
  const std::string far = R"({ "nodes": 4, "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } },
    "overrides": [{ "nodes": 0, "latency": "160ms" }] })";
  CHECK(sentence(evaluated(far, std::string(R"({ "algorithm": "parameter_server" })"))) ==
        "The server bounds the step: 100.0 % of 640 ms.");
  // Two workers 40.5 ms away end at the same instant as the one 1 ms away, whose messages fill the server's cable: 1 +
  // 240 ms each way.
  const std::string graph = R"({ "nodes": 3, "network": { "topology": "graph", "switches": ["s"], "links": [
    { "from": 0, "to": "s", "bandwidth": "20Gbps", "latency": "0.5ms" },
    { "from": 1, "to": "s", "bandwidth": "20Gbps", "latency": "40ms" },
    { "from": 2, "to": "s", "bandwidth": "20Gbps", "latency": "40ms" },
    { "from": 3, "to": "s", "bandwidth": "10Gbps", "latency": "0.5ms" }] } })";
  CHECK(sentence(evaluated(graph, std::string(R"({ "algorithm": "parameter_server" })"))) ==
        "The server bounds the step: 99.6 % of 482 ms; then latency 0.4 %.");
}

TEST_CASE("of compute and an exchange that end together, the path says more that leaves links the smaller share") {
  // 20 ms, then 80 ms of compute beside an exchange of 80 ms, then one of 8 ms.
  const std::string pair = R"({ "nodes": 2, "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } } })";
  const Outcome layerwise =
      evaluate(prepare_changed({"case.json", fmt::format(R"({{ "platform": {}, "workload": {{ "layers": [
        {{ "backward": "80ms", "tensors": [{{ "bytes": "10MB" }}] }},
        {{ "backward": "20ms", "tensors": [{{ "bytes": "100MB" }}] }}] }},
      "training": {{ "exchange": {}, "granularity": "layer", "overlap": "layerwise" }} }})",
                                                         pair, ring)},
                               {}));
  CHECK(sentence(layerwise) == "Compute bounds the step: 92.6 % of 108 ms; then the NICs 7.4 %.");
  // Gathers of 20 ms beside passes of 20 ms.
  const Outcome sharded =
      evaluate(prepare_changed({"case.json", fmt::format(R"({{ "platform": {}, "workload": {{ "layers": [
        {{ "forward": "10ms", "backward": "20ms", "tensors": [{{ "bytes": "50MB" }}] }},
        {{ "forward": "10ms", "backward": "20ms", "tensors": [{{ "bytes": "50MB" }}] }}] }},
      "training": {{ "exchange": {{ "algorithm": "sharded", "stage": 3, "prefetch": 1 }}, "overlap": "layerwise",
        "iterations": 3 }} }})",
                                                         pair)},
                               {}));
  CHECK(sentence(sharded) == "The NICs bound the step: 61.5 % of 130 ms; then compute 38.5 %.");
}
