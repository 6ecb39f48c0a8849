// The slowest step in the verdict, and its cause: cases derived by hand. NICs have 1 GB/s, and a ring of two sends 40
// MB twice: 80 ms per step.
#include "analysis/run/result/uneven_steps.hpp"
#include "base/human.hpp"
#include "tests/analysis/run/result/verdict_cases.hpp"

#include <algorithm>
#include <cmath>

using namespace gradflight;
using namespace gradflight::verdict_cases;

namespace {

const std::string two_racks = R"({ "nodes": 4, "network": { "topology": "racks", "link": { "bandwidth": "8Gbps" },
  "racks": { "nodes_per_rack": 2, "oversubscription": 2 } } })";

/// Returns the verdict on the slowest step, without the following text.
std::string slowest(const std::string& platform, const char* algorithm, const std::string& more,
                    const std::string& workload = gradient, int iterations = 3) {
  const std::string exchange = fmt::format(R"({{ "algorithm": "{}" }}, "iterations": {})", algorithm, iterations);
  const std::string verdict = evaluated(platform, exchange, ", " + more, workload).verdict;
  const auto end = verdict.find(" The rest is about the last step.");
  return end == std::string::npos ? "" : verdict.substr(0, end);
}

std::string with_changes(const std::string& list) { return R"("changes": [)" + list + "]"; }

std::string link_change(const char* at, const char* name, const char* bandwidth) {
  return fmt::format(R"({{ "at": "{}", "link": "{}", "bandwidth": "{}" }})", at, name, bandwidth);
}

std::string gpu_change(const char* at, const char* what) {
  return fmt::format(R"({{ "at": "{}", "gpu": 1, {} }})", at, what);
}

} // namespace

TEST_CASE("a change that lies within the slowest step is blamed with the time that it was in force, not its end") {
  // At 2 Gbps for 20 ms, 5 MB are sent instead of 20: 15 ms more.
  CHECK(slowest(star_of(2), "ring",
                with_changes(link_change("100ms", "node1.up", "2Gbps") + "," +
                             link_change("120ms", "node1.up", "8Gbps"))) ==
        "Step 2 of 3 is the slowest, 95 ms (node1.up: bandwidth 2 Gbps from 100 ms to 120 ms); step 1 is the fastest, "
        "80 ms.");
  // The second step takes 240 ms. During it, 20 ms of passes at a quarter of the speed do 5 ms of work.
  CHECK(slowest(star_of(2), "ring",
                with_changes(gpu_change("150ms", R"("compute_speed": 0.25)") + "," +
                             gpu_change("170ms", R"("compute_speed": 1)")),
                trained) ==
        "Step 2 of 3 is the slowest, 155 ms (GPU 1: compute speed 0.25 from 150 ms to 170 ms); step 1 is the fastest, "
        "140 ms.");
  CHECK(slowest(star_of(2), "ring",
                with_changes(gpu_change("150ms", R"("state": "down")") + "," + gpu_change("160ms", R"("state": "up")")),
                trained) ==
        "Step 2 of 3 is the slowest, 150 ms (GPU 1: down from 150 ms to 160 ms); step 1 is the fastest, 140 ms.");
}

TEST_CASE("a change of several values is one cause, with the costs of all") {
  // Two messages, one after the other, each of 40 MB at half the rate and 10 ms later.
  CHECK(slowest(star_of(2), "ring",
                with_changes(R"({ "at": "80ms", "link": "node1.up", "bandwidth": "4Gbps", "latency": "10ms" })")) ==
        "Step 3 of 3 is the slowest, 180 ms (node1.up: bandwidth 4 Gbps, latency 10 ms from 80 ms on); step 1 is the "
        "fastest, 80 ms.");
}

TEST_CASE("what a wait hides of another link's time is not part of an outage's cost") {
  // 20 MB in a ring over two racks: the uplink of a rack takes 4 ms of each round, and node 6's cable 2 ms, so 2 ms of
  // the wait cost nothing. In all, the step takes 11.7 ms more.
  const std::string racks = R"({ "nodes": 8, "network": { "topology": "racks",
    "link": { "bandwidth": "10Gbps", "latency": "5us" }, "racks": { "nodes_per_rack": 4, "oversubscription": 8 } } })";
  const std::string work =
      R"({ "layers": [{ "forward": "5ms", "backward": "5ms", "tensors": [{ "bytes": "20MB" }] }] })";
  const std::string outage = R"({ "at": "75ms", "link": "node6.up", "state": "down" },
                                { "at": "90ms", "link": "node6.up", "state": "up" })";
  CHECK(slowest(racks, "ring", with_changes(outage), work) ==
        "Step 2 of 3 is the slowest, 77.98 ms (waiting for node6.up, down from 75 ms to 90 ms: 11.7 ms); step 1 is the "
        "fastest, 66.28 ms.");
}

TEST_CASE("the mean step of a pipeline that exchanges now and then is one before it drains") {
  // 10 ms of compute hide each second step's 0.8 ms.
  for (const int depth : {2, 3}) {
    const Outcome o = evaluated(
        star_of(2),
        fmt::format(R"({{ "algorithm": "ring" }}, "overlap": {{ "pipelined": {} }}, "every": 2, "iterations": 20)",
                    depth),
        "",
        std::string(R"({ "layers": [{ "forward": "5ms", "backward": "5ms", "tensors": [{ "bytes": "0.8MB" }] }] })"));
    CHECK(o.verdict == "Compute bounds the step: 100.0 % of 10 ms.");
    CHECK_FALSE(o.mean);
  }
}

TEST_CASE("a link that becomes faster is not blamed for a slow step, a slower one is") {
  // A tree of four takes 80 ms four times. From 380 ms on, node 2 sends at 4 Gbps: twice 80 ms more.
  CHECK(slowest(star_of(4), "binomial_tree",
                with_changes(link_change("330ms", "node1.up", "16Gbps") + "," +
                             link_change("380ms", "node2.up", "4Gbps"))) ==
        "Step 2 of 3 is the slowest, 480 ms (node2.up: bandwidth 4 Gbps from 380 ms on); step 1 is the fastest, "
        "320 ms.");
}

TEST_CASE("of two changes the one that costs more is blamed, and of the tier that takes longer") {
  // 120 ms per step, by NICs and uplinks equally. At 1 Gbps for 20 ms, the uplink loses 17.5 ms of its bytes. The NIC
  // of node 3, at half its rate for 22 ms, would lose 11 ms in the same time.
  const std::string both = link_change("130ms", "node3.up", "4Gbps") + "," + link_change("131ms", "rack0.up", "1Gbps") +
                           "," + link_change("151ms", "rack0.up", "8Gbps") + "," +
                           link_change("152ms", "node3.up", "8Gbps");
  CHECK(slowest(two_racks, "ring", with_changes(both)) ==
        "Step 2 of 3 is the slowest, 137.5 ms (rack0.up: bandwidth 1 Gbps from 131 ms to 151 ms); step 1 is the "
        "fastest, 120 ms.");
}

TEST_CASE("a change is not blamed if nothing waits for what it changed") {
  const auto blamed = [](const Outcome& o) { return o.verdict.substr(0, o.verdict.find(" The rest is")); };
  // 3 x 80 MB go to node 0, and back: 480 ms. At 6.4 Gbps, the first 240 ms become 300. Node 1's share of that is 2.1
  // Gbps, so its NIC of 4 Gbps holds nothing up, although it lost more of its rate.
  const std::string server = R"({ "algorithm": "parameter_server", "colocated": true }, "iterations": 3)";
  CHECK(blamed(evaluated(star_of(4), server,
                         ", " + with_changes(link_change("480ms", "node1.up", "4Gbps") + "," +
                                             link_change("480ms", "node0.down", "6.4Gbps") + "," +
                                             link_change("900ms", "node1.up", "8Gbps") + "," +
                                             link_change("900ms", "node0.down", "8Gbps")),
                         gradient)) ==
        "Step 2 of 3 is the slowest, 540 ms (node0.down: bandwidth 6.4 Gbps from 480 ms to 900 ms); step 1 is the "
        "fastest, 480 ms.");
  // Passes of 60 ms and a ring of 120. Node 2 loses half of its double speed, but takes 60 ms like the others; node 3
  // takes 75.
  const std::string fast = R"(, "overrides": [{ "nodes": 2, "compute_speed": 2 }])";
  CHECK(blamed(evaluated(star_of(4, fast), R"({ "algorithm": "ring" }, "iterations": 3)",
                         R"(, "changes": [{ "at": "180ms", "nodes": 2, "compute_speed": 1 },
                                          { "at": "180ms", "nodes": 3, "compute_speed": 0.8 }])",
                         trained)) ==
        "Step 2 of 3 is the slowest, 195 ms (node 3: compute speed 0.8 from 180 ms on); step 1 is the fastest, "
        "180 ms.");
}

TEST_CASE("of several changes each has the time that it cost, the largest first") {
  // A tree of four: node 1 to 0 and 3 to 2, then 2 to 0, and back: 4 x 80 ms, after passes of 60 ms. In the second
  // step, the message from node 2 takes 80 ms more, and the passes of node 2 take 20 ms more.
  CHECK(slowest(star_of(4), "binomial_tree",
                with_changes(link_change("380ms", "node2.up", "4Gbps") + R"(,
                               { "at": "380ms", "nodes": 2, "compute_speed": 0.75 },
                               { "at": "460ms", "nodes": 2, "compute_speed": 1 },)" +
                             link_change("700ms", "node2.up", "8Gbps")),
                trained) ==
        "Step 2 of 3 is the slowest, 480 ms (node2.up: bandwidth 4 Gbps from 380 ms to 700 ms: 80 ms, and node 2: "
        "compute speed 0.75 from 380 ms to 460 ms: 20 ms); step 1 is the fastest, 380 ms.");
}

TEST_CASE("other traffic is blamed where it slows a step, also without changes") {
  // With 50 MB of other traffic in one direction, 50 MB of the ring take 50 ms more.
  const std::string beside = R"("traffic": [{ "name": "bk", "from": 0, "to": 1, "bytes": "50MB", "start": "85ms" }])";
  const std::string blamed = "Step 2 of 3 is the slowest, 130 ms (other traffic bk: 50 ms); step 1 is the fastest, "
                             "80 ms.";
  CHECK(slowest(star_of(2), "ring", beside) == blamed);
  CHECK(slowest(star_of(2), "ring", beside + ", " + with_changes(link_change("81ms", "node1.down", "16Gbps"))) ==
        blamed);
}

TEST_CASE("jitter is the slowest ranks', and a faster link that comes later is not blamed") {
  const std::string jitter = R"(, "jitter": { "cv": 0.5, "distribution": "exponential", "seed": 1 })";
  const std::string faster = with_changes(link_change("200ms", "node3.up", "9Gbps"));
  const std::string text = slowest(star_of(4, jitter), "ring", faster, trained, 4);
  INFO(text);
  CHECK(text.find("(the slowest ranks: ") != std::string::npos);
  CHECK(text.find("node3") == std::string::npos);
}

TEST_CASE("two causes of like size are both told, each with its time") {
  // 10 ms of waiting, and 15 ms because 5 MB are sent instead of 20 in 20 ms.
  const std::string all = link_change("100ms", "node1.up", "2Gbps") + "," + link_change("120ms", "node1.up", "8Gbps") +
                          R"(, { "at": "150ms", "link": "node1.up", "state": "down" },
                              { "at": "160ms", "link": "node1.up", "state": "up" })";
  CHECK(slowest(star_of(2), "ring", with_changes(all)) ==
        "Step 2 of 3 is the slowest, 105 ms (node1.up: bandwidth 2 Gbps from 100 ms to 120 ms: 15 ms, and waiting for "
        "node1.up, down from 150 ms to 160 ms: 10 ms); step 1 is the fastest, 80 ms.");
}

TEST_CASE("failures that are waited for are blamed with the component that failed") {
  const Outcome o =
      evaluated(star_of(2), std::string(R"({ "algorithm": "ring" }, "iterations": 20)"),
                std::string(R"(, "failures": { "nics": { "mtbf": "2s", "mttr": "50ms", "repair": "constant" },
                                             "seed": 2 })"),
                gradient);
  REQUIRE(o.result.failures);
  const OutageRow& first = o.result.failures->outages.front();
  INFO(o.verdict);
  CHECK(first.until - first.at == Approx(0.05).epsilon(1e-9));
  CHECK(o.verdict.find("is the slowest, 130 ms (waiting for " + first.name + ", down from ") != std::string::npos);
}

TEST_CASE("a failed node is blamed for the slowest step, whichever step it is") {
  for (const int iterations : {30, 100}) {
    const Outcome o = evaluated(star_of(4), fmt::format(R"({{ "algorithm": "ring" }}, "iterations": {})", iterations),
                                std::string(R"(, "failures": { "nodes": { "mtbf": "8s", "mttr": "100ms",
                                  "repair": "constant" } })"),
                                trained);
    REQUIRE(o.result.failures);
    REQUIRE_FALSE(o.result.failures->outages.empty());
    INFO(o.verdict);
    CHECK_THAT(o.verdict, Catch::Contains(" is the slowest, ") && Catch::Contains("(waiting for node "));
    CHECK(o.verdict.find("the slowest ranks") == std::string::npos);
  }
}

TEST_CASE("steps of a warm-up are no reason why a change should be blamed, nor do they hide an outage") {
  // 160 ms in each of two steps with a tree, then 80 ms in each of two with a ring.
  const std::string phases = R"({ "algorithm": "ring" }, "iterations": 2,
    "warmup": [{ "iterations": 2, "exchange": { "algorithm": "binomial_tree" } }])";
  const auto verdict = [&](const std::string& changes) {
    return evaluated(star_of(2), phases, ", " + with_changes(changes), gradient).verdict;
  };
  const std::string bounds = "The NICs bound the step: 100.0 % of 80 ms.";
  CHECK(verdict(link_change("10ms", "node0.up", "9Gbps")) == bounds); // node1.up is as slow as before
  CHECK(verdict(R"({ "at": "330ms", "link": "node0.up", "state": "down" },
                   { "at": "350ms", "link": "node0.up", "state": "up" })") ==
        "Step 3 of 4 is the slowest, 100 ms (waiting for node0.up, down from 330 ms to 350 ms: 20 ms); step 4 is the "
        "fastest, 80 ms. The rest is about the last step. " +
            bounds);
}

TEST_CASE("where only every other step exchanges, the verdict begins with a cycle's mean, whichever step is last") {
  // 60 ms of passes, and 80 ms of the ring in every second step.
  for (const int iterations : {4, 5}) {
    const std::string exchange = fmt::format(R"({{ "algorithm": "ring" }}, "every": 2, "iterations": {})", iterations);
    const Outcome o = evaluated(star_of(2), exchange, std::string(), trained);
    CHECK(o.verdict.starts_with(
        "One of 2 steps exchanges gradients. A step takes 100 ms on average, 140 ms with the exchange "
        "and 60 ms without. The rest is about the last step. "));
  }
}

TEST_CASE("a step counts as with the exchange by its number, not by its length") {
  // Every second step has the ring: 140 ms. The third has none, but GPU 1 takes 600 ms for 60 ms of passes.
  const Outcome o = evaluated(star_of(2), std::string(R"({ "algorithm": "ring" }, "every": 2, "iterations": 4)"),
                              ", " + with_changes(gpu_change("200ms", R"("compute_speed": 0.1)") + "," +
                                                  gpu_change("800ms", R"("compute_speed": 1)")),
                              trained);
  CHECK(o.verdict.starts_with("One of 2 steps exchanges gradients. A step takes 235 ms on average, 140 ms with the "
                              "exchange and 330 ms without. Among steps with equal work, step 3 of 4 is the slowest, "
                              "600 ms (GPU 1: compute speed 0.1 from 200 ms to 800 ms); step 1 is the fastest, 60 ms. "
                              "The rest is about the last step. "));
}

TEST_CASE("an outage is told where only every other step exchanges") {
  // 60 ms of passes, and 80 ms of the ring in every second step. Its link is down for 30 ms of the fourth step.
  const Outcome o = evaluated(star_of(2), std::string(R"({ "algorithm": "ring" }, "every": 2, "iterations": 4)"),
                              R"(, "changes": [ { "at": "330ms", "link": "node1.up", "state": "down" },
                                  { "at": "360ms", "link": "node1.up", "state": "up" } ])",
                              trained);
  CHECK(
      o.verdict.starts_with("One of 2 steps exchanges gradients. A step takes 107.5 ms on average, 155 ms with the "
                            "exchange and 60 ms without. Among steps with equal work, step 4 of 4 is the slowest, "
                            "170 ms (waiting for node1.up, down from 330 ms to 360 ms: 30 ms); step 2 is the fastest, "
                            "140 ms. The rest is about the last step. "));
}

TEST_CASE("the fill of a pipeline is not the slowest step") {
  // Two passes fill it: 120 ms. A change costs the first of them 0.2 ms. Later, GPU 1 is slow for 200 ms.
  const std::string exchange = R"({ "algorithm": "ring" }, "overlap": { "pipelined": 2 }, "iterations": 6)";
  const std::string brief =
      gpu_change("10ms", R"("compute_speed": 0.9)") + "," + gpu_change("12ms", R"("compute_speed": 1)");
  CHECK(evaluated(star_of(2), exchange, ", " + with_changes(brief), trained).verdict.find("slowest") ==
        std::string::npos);
  const std::string later =
      brief + "," + gpu_change("200ms", R"("compute_speed": 0.1)") + "," + gpu_change("400ms", R"("compute_speed": 1)");
  CHECK_THAT(evaluated(star_of(2), exchange, ", " + with_changes(later), trained).verdict,
             Catch::Contains("is the slowest") && Catch::Contains("compute speed 0.1"));
}

TEST_CASE("where a pipeline drains before two updates, the verdict is about the mean of all steps") {
  // Passes of 10 ms end at 10, 20, 30 and 40 ms. The exchanges of steps 2 and 4, 120 ms each, begin at 20 and 140 ms.
  // Step 1 ends at 30 ms, when the fourth pass begins; the last one ends at 260 ms, after 140 ms.
  const std::string exchange = R"({ "algorithm": "ring" }, "overlap": { "pipelined": 3 }, "every": 2, "iterations": 4)";
  const std::string passes =
      R"({ "layers": [{ "forward": "5ms", "backward": "5ms", "tensors": [{ "bytes": "80MB" }] }] })";
  const Outcome o = evaluated(star_of(4), exchange, std::string(), passes);
  CHECK(o.result.time == Approx(0.26).epsilon(1e-12));
  CHECK(o.result.iteration_time == Approx(0.26 / 4).epsilon(1e-12));
  CHECK_THAT(o.verdict, Catch::Contains(" The rest is about the mean of all steps. The NICs bound the step: 92.3 % of "
                                        "65 ms; then compute 7.7 %."));
}

TEST_CASE("a run that ends before its first exchange says so") {
  const auto noted = [](int iterations) {
    const Outcome o =
        evaluated(star_of(2), fmt::format(R"({{ "algorithm": "ring" }}, "every": 4, "iterations": {})", iterations),
                  std::string(), trained);
    return std::ranges::any_of(o.notes,
                               [](const Note& note) { return note.text.starts_with("one of 4 steps exchanges"); });
  };
  CHECK(noted(3));
  CHECK_FALSE(noted(4));
}

TEST_CASE("an outage of a GPU that nothing waits for is not blamed") {
  // Node 1 takes 120 ms for passes of 60; GPU 0 is down while the ring takes 80 ms, and in the second case while node 1
  // still computes.
  const std::string slow = R"(, "overrides": [{ "nodes": 1, "compute_speed": 0.5 }])";
  for (const auto& [down, up] : {std::pair{"130ms", "150ms"}, std::pair{"70ms", "110ms"}}) {
    const std::string outage = fmt::format(
        R"(, "changes": [{{ "at": "{}", "gpu": 0, "state": "down" }}, {{ "at": "{}", "gpu": 0, "state": "up" }}])",
        down, up);
    const Outcome o = evaluated(star_of(2, slow), ring, outage, trained);
    CHECK(o.result.time == Approx(0.2).epsilon(1e-9));
    CHECK(share(o, Bounding::straggler) >= 0.05 / 0.2 * (1 - 1e-9)); // the median is down for a part of the time
    CHECK(share(o, Bounding::outage) == 0);
  }
}

TEST_CASE("steps that take turns in being longer are told, with their mean, at any number of steps") {
  const auto run = [](int iterations, const char* algorithm) {
    return evaluated(R"({ "machine": "rack-25gbe", "nodes": 2 })",
                     fmt::format(R"({{ "algorithm": "{}" }}, "iterations": {})", algorithm, iterations), "",
                     R"({ "layers": [{ "forward": "20us", "backward": "40us", "tensors": [{ "bytes": "8000B" }] }] })");
  };
  for (const int iterations : {12, 13}) {
    const Outcome o = run(iterations, "nccl");
    const auto end = [&](int number) { return o.result.iterations[static_cast<std::size_t>(number)].end; };
    const double last = end(iterations - 1) - end(iterations - 2), before = end(iterations - 2) - end(iterations - 3);
    CHECK(std::abs(last - before) > 0.05 * last);
    CHECK(o.verdict.starts_with(fmt::format("Steps take {} and {} in turn, ", human_seconds(std::min(last, before)),
                                            human_seconds(std::max(last, before)))));
    CHECK(o.verdict.find(fmt::format(": {} on average. The rest is about the last step. ",
                                     human_seconds((last + before) / 2))) != std::string::npos);
  }
  CHECK(run(2, "nccl").verdict.find("in turn") == std::string::npos); // the first step has no calls before it
  CHECK(run(12, "ring").verdict.find("in turn") == std::string::npos);
}

TEST_CASE("traffic that was over before the slowest step, or after it, is not blamed") {
  const std::string flows = R"("traffic": [{ "name": "early", "from": 0, "to": 1, "bytes": "1MB" },
    { "name": "bulk", "from": 0, "to": 1, "start": "85ms", "bytes": "50MB" },
    { "name": "late", "from": 0, "to": 1, "start": "215ms", "bytes": "1MB" }])";
  // The early flow takes 1 ms of the first step, so it ends at 81 ms; the second step begins then.
  CHECK(slowest(star_of(2), "ring", flows) ==
        "Step 2 of 3 is the slowest, 130 ms (other traffic bulk: 49 ms); step 1 is the fastest, 81 ms.");
}

TEST_CASE("a slow step among others is told, also if the first and the last step differ by themselves") {
  // Parameters are gathered at their first use: the first step gathers none, and the last one gathers all at its end.
  const std::string layers = R"({ "layers": [
    { "forward": "20ms", "backward": "20ms", "tensors": [{ "name": "a", "bytes": "40MB" }] },
    { "forward": "20ms", "backward": "20ms", "tensors": [{ "name": "b", "bytes": "40MB" }] }] })";
  const auto verdict = [&](const char* down, const char* up) {
    return evaluated(
               star_of(2), std::string(R"({ "algorithm": "sharded", "stage": 1, "pull_at": "first_use" },
                                    "overlap": "layerwise", "iterations": 8)"),
               ", " + with_changes(gpu_change(down, R"("state": "down")") + "," + gpu_change(up, R"("state": "up")")),
               layers)
        .verdict;
  };
  CHECK(verdict("430ms", "460ms")
            .starts_with("Step 4 of 8 is the slowest, 150 ms (GPU 1: down from 430 ms to 460 ms); step 2 is the "
                         "fastest, 120 ms. "));
  // In the first step, which takes 160 ms by itself, the cause explains 30 of 70 ms.
  CHECK(verdict("10ms", "40ms")
            .starts_with("Step 1 of 8 is the slowest, 190 ms (GPU 1: down from 10 ms to 40 ms: 30 ms, and unknown "
                         "causes); step 2 is the fastest, 120 ms. "));
}

TEST_CASE("a slow step is told with a cause that explains only a part of it") {
  // Compute and exchange take equally long, so either may be on the path. A link is down in step 5, and node 1 computes
  // at 0.4 of its speed from then on.
  const std::string layers = R"({ "layers": [
    { "forward": "5ms", "backward": "40ms", "tensors": [{ "name": "a", "bytes": "40MB" }] },
    { "forward": "20ms", "backward": "40ms", "tensors": [{ "name": "b", "bytes": "40MB" }] }], "update": "5ms" })";
  const Outcome o = evaluated(
      star_of(2),
      std::string(R"({ "algorithm": "ring" }, "overlap": "layerwise", "granularity": "tensor", "iterations": 8)"),
      ", " + with_changes(R"({ "at": "658.807ms", "link": "node1.down", "state": "down" },
                             { "at": "680.2278ms", "link": "node1.down", "state": "up" },
                             { "at": "746.4846ms", "nodes": 1, "compute_speed": 0.4 },
                             { "at": "889.6083ms", "nodes": 1, "compute_speed": 1 })"),
      layers);
  INFO(o.verdict);
  CHECK(o.verdict.starts_with("Step 6 of 8 is the slowest, 220.128 ms (node 1: compute speed 0.4 from 746.485 ms to "
                              "889.608 ms: 30.1283 ms, and unknown causes); step 1 is the fastest, 150 ms. "));
}

TEST_CASE("a change that gives a link the value that it has changes no verdict") {
  const std::string layers = R"({ "layers": [
    { "forward": "20ms", "backward": "20ms", "tensors": [{ "name": "a", "bytes": "40MB" }] },
    { "forward": "20ms", "backward": "20ms", "tensors": [{ "name": "b", "bytes": "40MB" }] }] })";
  const auto verdict = [&](const std::string& more) {
    return evaluated(star_of(2), std::string(R"({ "algorithm": "sharded", "stage": 1, "pull_at": "first_use" },
                                    "overlap": "layerwise", "iterations": 8)"),
                     more, layers)
        .verdict;
  };
  CHECK(verdict(", " + with_changes(link_change("5ms", "node1.up", "8Gbps"))) == verdict(""));
}
