// What changes cost the slowest step: cases derived by hand. NICs have 10 Gbps, so a ring of four sends 10 MB in 12 ms.
#include "tests/analysis/run/result/verdict_cases.hpp"

using namespace gradflight;
using namespace gradflight::verdict_cases;

namespace {

/// Returns the sentence on the slowest step; nothing if there is none.
std::string slowed(const std::string& platform, const std::string& workload, int iterations, const std::string& more,
                   const char* algorithm = "ring") {
  const std::string exchange = fmt::format(R"({{ "algorithm": "{}" }}, "iterations": {})", algorithm, iterations);
  const std::string verdict = evaluated(platform, exchange, more, workload).verdict;
  const auto end = verdict.find(" The rest is about the last step.");
  return end == std::string::npos ? "" : verdict.substr(0, end);
}

std::string four_nodes(const char* latency = "0s") {
  return fmt::format(R"({{ "nodes": 4, "network": {{ "topology": "star", "link": {{ "bandwidth": "10Gbps",
                            "latency": "{}" }} }} }})",
                     latency);
}

/// Passes of a third forward and two thirds backward.
std::string passes_of(int ms, const char* bytes) {
  return fmt::format(
      R"({{ "layers": [{{ "forward": "{}us", "backward": "{}us", "tensors": [{{ "bytes": "{}" }}] }}] }})",
      ms * 1000 / 3, ms * 2000 / 3, bytes);
}

std::string gradient_of(const char* bytes) { return fmt::format(R"({{ "tensors": [{{ "bytes": "{}" }}] }})", bytes); }

/// A change of `what`, such as "gpu": 1, "compute_speed": 0.5.
std::string change_at(const char* time, const char* what) { return fmt::format(R"({{ "at": "{}", {} }})", time, what); }

template <class... Changes> std::string change_list(const Changes&... changes) {
  std::string all;
  for (const std::string& one : {std::string(changes)...}) all += (all.empty() ? "" : ", ") + one;
  return R"(, "changes": [)" + all + "]";
}

} // namespace

TEST_CASE("a change that comes in the fast step when nothing waits for its target costs only the slow step") {
  // Passes of 30 ms and a ring of 72 ms. At half speed from 30 ms on, the second step's passes take 60 ms.
  CHECK(slowed(four_nodes(), passes_of(30, "60MB"), 2,
               change_list(change_at("30ms", R"("nodes": "0-3", "compute_speed": 0.5)"))) ==
        "Step 2 of 2 is the slowest, 132 ms (nodes 0-3: compute speed 0.5 from 30 ms on); step 1 is the fastest, "
        "102 ms.");
  // A ring of 120 ms from 30 ms on. GPU 1 does 25 of its next 30 ms of work up to 200 ms: it ends at 205, not 180 ms.
  CHECK(slowed(four_nodes(), passes_of(30, "100MB"), 2,
               change_list(change_at("31ms", R"("gpu": 1, "compute_speed": 0.5)"),
                           change_at("200ms", R"("gpu": 1, "compute_speed": 1)"))) ==
        "Step 2 of 2 is the slowest, 175 ms (GPU 1: compute speed 0.5 from 31 ms to 200 ms); step 1 is the fastest, "
        "150 ms.");
  // A ring of 48 ms. The second step begins at 78 ms; GPU 1 does 11 ms of work up to 100 ms and ends at 119, not 108
  // ms. The next ring begins at 119 ms and loses 0.5 ms at half the rate for 1 ms.
  CHECK(slowed(four_nodes(), passes_of(30, "40MB"), 4,
               change_list(change_at("50ms", R"("gpu": 1, "compute_speed": 0.5)"),
                           change_at("100ms", R"("gpu": 1, "compute_speed": 1)"),
                           change_at("110ms", R"("nodes": "2", "bandwidth": "5Gbps")"),
                           change_at("120ms", R"("nodes": "2", "bandwidth": "10Gbps")"))) ==
        "Step 2 of 4 is the slowest, 89.5 ms (GPU 1: compute speed 0.5 from 50 ms to 100 ms); step 1 is the fastest, "
        "78 ms.");
}

TEST_CASE("of two dips of a link, the one that comes while all compute costs nothing") {
  // Passes of 60 ms and a ring of 12 ms, which takes 24 ms at half the rate.
  CHECK(slowed(four_nodes(), passes_of(60, "10MB"), 3,
               change_list(change_at("0s", R"("link": "node1.up", "bandwidth": "5Gbps")"),
                           change_at("60ms", R"("link": "node1.up", "bandwidth": "10Gbps")"),
                           change_at("100ms", R"("link": "node1.up", "bandwidth": "5Gbps")"))) ==
        "Step 2 of 3 is the slowest, 84 ms (node1.up: bandwidth 5 Gbps from 100 ms on); step 1 is the fastest, 72 ms.");
}

TEST_CASE("a change of latency costs the messages that set out while it is in force") {
  // Six messages in a row, each of two links' latencies and 10 ms of bytes. Those from 10.02 and 25.03 ms on have 4.99
  // ms more.
  const std::string brief = change_at("10ms", R"("nodes": "1", "latency": "5ms")") + ", " +
                            change_at("30ms", R"("nodes": "1", "latency": "10us")");
  CHECK(slowed(four_nodes("10us"), gradient_of("50MB"), 3, change_list(brief)) ==
        "Step 1 of 3 is the slowest, 70.1 ms (node 1: latency 5 ms from 10 ms to 30 ms); step 2 is the fastest, "
        "60.12 ms.");
  // Node 2 loses half of 12 ms, less the 20 us between two messages.
  CHECK(slowed(four_nodes("10us"), gradient_of("50MB"), 3,
               change_list(brief, change_at("35ms", R"("nodes": "2", "bandwidth": "5Gbps")"),
                           change_at("47ms", R"("nodes": "2", "bandwidth": "10Gbps")"))) ==
        "Step 1 of 3 is the slowest, 76.09 ms (node 1: latency 5 ms from 10 ms to 30 ms: 9.98 ms, and node 2: "
        "bandwidth 5 Gbps from 35 ms to 47 ms: 5.99 ms); step 2 is the fastest, 60.12 ms.");
  // Messages with 20 ms of bytes: three of the third step's messages have 19.99 ms more.
  CHECK(slowed(four_nodes("10us"), gradient_of("100MB"), 4,
               change_list(change_at("200ms", R"("nodes": "2", "latency": "20ms")"),
                           change_at("400ms", R"("nodes": "2", "latency": "10us")"))) ==
        "Step 3 of 4 is the slowest, 180.09 ms (node 2: latency 20 ms from 200 ms to 400 ms); step 1 is the fastest, "
        "120.12 ms.");
}

TEST_CASE("a change of latency that comes while a ring is computed at once costs each of its messages") {
  // Six messages of 10 ms and two latencies of 10 us, or of one of 10 us and one of 1 ms.
  CHECK(slowed(four_nodes("10us"), passes_of(30, "50MB"), 3,
               change_list(change_at("100ms", R"("link": "node1.up", "latency": "1ms")"))) ==
        "Step 2 of 3 is the slowest, 96.06 ms (node1.up: latency 1 ms from 100 ms on); step 1 is the fastest, "
        "90.12 ms.");
}

TEST_CASE("the shortcut of rings makes no difference for the cost of a change") {
  // The second step begins at 42 ms. A GPU at half speed from 50 ms on takes 8 + 44 ms for 30 ms of passes.
  for (const int gpu : {0, 1})
    for (const char* shortcuts : {"true", "false"})
      CHECK(slowed(four_nodes(), passes_of(30, "10MB"), 3,
                   fmt::format(R"({}, "engine": {{ "kind": "hybrid", "shortcuts": {} }})",
                               change_list(fmt::format(R"({{ "at": "50ms", "gpu": {}, "compute_speed": 0.5 }})", gpu),
                                           fmt::format(R"({{ "at": "100ms", "gpu": {}, "compute_speed": 1 }})", gpu)),
                               shortcuts)) ==
            fmt::format("Step 2 of 3 is the slowest, 64 ms (GPU {}: compute speed 0.5 from 50 ms to 100 ms); step 1 is "
                        "the fastest, 42 ms.",
                        gpu));
}

TEST_CASE("a change of several GPUs is told once, whichever of them the path goes through") {
  // The first step takes 20 + 20 + 12 ms, with GPU 1 at half speed; the fourth 60 + 12 ms, with all at half speed.
  CHECK(slowed(four_nodes(), passes_of(30, "10MB"), 6,
               change_list(change_at("20ms", R"("gpu": 1, "compute_speed": 0.5)"),
                           change_at("100ms", R"("gpu": 1, "compute_speed": 1)"),
                           change_at("130ms", R"("nodes": "0-3", "compute_speed": 0.5)"))) ==
        "Step 4 of 6 is the slowest, 72 ms (nodes 0-3: compute speed 0.5 from 130 ms on); step 1 is the fastest, "
        "52 ms.");
  // GPU 1 does 8 ms of work up to 50 ms, 8 ms in the next 10, and the other 14 ms at half speed.
  CHECK(slowed(four_nodes(), passes_of(30, "10MB"), 5,
               change_list(change_at("50ms", R"("nodes": "0-3", "compute_speed": 0.8)"),
                           change_at("60ms", R"("gpu": 1, "compute_speed": 0.5)"),
                           change_at("110ms", R"("nodes": "0-3", "compute_speed": 1)"))) ==
        "Step 2 of 5 is the slowest, 58 ms (GPU 1: compute speed 0.5 from 60 ms to 110 ms: 14 ms, and nodes 0-3: "
        "compute speed 0.8 from 50 ms to 60 ms: 2 ms); step 1 is the fastest, 42 ms.");
}

TEST_CASE("while a GPU is down, its slower speed costs nothing") {
  // Of the 30 ms at half speed, 12 are lost to the outage and 9 to the speed.
  CHECK(slowed(four_nodes(), passes_of(30, "10MB"), 2,
               change_list(change_at("10ms", R"("gpu": 1, "compute_speed": 0.5)"),
                           change_at("20ms", R"("gpu": 1, "state": "down")"),
                           change_at("32ms", R"("gpu": 1, "state": "up")"),
                           change_at("40ms", R"("gpu": 1, "compute_speed": 1)"))) ==
        "Step 1 of 2 is the slowest, 63 ms (GPU 1: down from 20 ms to 32 ms: 12 ms, and GPU 1: compute speed 0.5 from "
        "10 ms to 40 ms: 9 ms); step 2 is the fastest, 42 ms.");
}

TEST_CASE("a change that made the fast step faster counts for the one that makes the slow step slower") {
  // 24 ms of passes and a ring of 12 ms: 6 ms at twice the rate, 24 ms at half the rate.
  const auto links = [](const char* bandwidth) {
    return fmt::format(R"("nodes": "0-3", "bandwidth": "{}")", bandwidth);
  };
  CHECK(slowed(four_nodes(), passes_of(24, "10MB"), 2,
               change_list(change_at("0s", links("20Gbps").c_str()), change_at("40ms", links("5Gbps").c_str()))) ==
        "Step 2 of 2 is the slowest, 48 ms (nodes 0-3: bandwidth 5 Gbps from 40 ms on); step 1 is the fastest, 30 ms.");
}

TEST_CASE("a change that repeats is told with the number of its times in the slow step") {
  // Passes of 60 ms lose 2.5 ms in every 5 ms at half speed. The second step begins at 74.5 ms, the others at 149, 224
  // and 298.5 ms. So the last one has 0.75 ms of the time from 295 ms on, too.
  CHECK(slowed(four_nodes(), passes_of(60, "10MB"), 5,
               change_list(change_at("0s", R"("period": "50ms", "gpu": 1, "compute_speed": 1)"),
                           change_at("45ms", R"("period": "50ms", "gpu": 1, "compute_speed": 0.5)"))) ==
        "Step 5 of 5 is the slowest, 75.25 ms (GPU 1: compute speed 0.5 2 times from 295 ms to 350 ms); step 1 is the "
        "fastest, 74.5 ms.");
}

TEST_CASE("messages by another route are told where sharing it makes a step slow") {
  // At 35 ms, messages of 5 ms lose what they have carried. On the other route, two messages share a cable.
  const std::string fat_tree = R"({ "nodes": 8, "network": { "topology": "fat_tree", "link": { "bandwidth": "10Gbps",
    "latency": "1us" }, "fat_tree": { "levels": [{ "down": 4 }, { "down": 2, "up": 2 }] } } })";
  CHECK(slowed(fat_tree, gradient_of("50MB"), 2,
               change_list(change_at("35ms", R"("switch": "sw2-0", "state": "down")"),
                           change_at("60ms", R"("switch": "sw2-0", "state": "up")")) +
                   R"(, "recovery": { "policy": "reroute" })",
               "halving_doubling") ==
        "Step 1 of 2 is the slowest, 100.012 ms (messages by another route: 15 ms, and waiting for switch sw2-0, down "
        "from 35 ms to 60 ms: 4.996 ms); step 2 is the fastest, 80.016 ms.");
}
