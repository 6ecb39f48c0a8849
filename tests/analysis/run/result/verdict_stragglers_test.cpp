// The share of slow ranks in the verdict: cases derived by hand. The time of the median rank is compute; the rest
// belongs to the slowest ranks.
#include "tests/analysis/run/result/verdict_cases.hpp"

#include <numeric>

using namespace gradflight;
using namespace gradflight::verdict_cases;

namespace {

/// Passes of 100 ms each.
std::string passes(const char* bytes, const char* update = "0s") {
  return fmt::format(R"({{ "layers": [ {{ "name": "l", "forward": "0.1s", "backward": "0.1s",
    "tensors": [ {{ "name": "g", "bytes": "{}" }} ] }} ], "update": "{}" }})",
                     bytes, update);
}

std::string star_at(const char* bandwidth, int nodes, const std::string& more = "") {
  return fmt::format(R"({{ "nodes": {}, "network": {{ "topology": "star", "link": {{ "bandwidth": "{}" }} }}{} }})",
                     nodes, bandwidth, more);
}

const std::string three_rings = R"({ "algorithm": "ring" }, "iterations": 3)";

} // namespace

TEST_CASE("a warm-up that accumulates more makes no straggler of the steps after it") {
  // Each of two ranks: 200 ms of passes, then 1 GB at 1 GB/s. The warm-up has 800 ms of passes.
  const Outcome o = evaluated(star_at("8Gbps", 2), std::string(R"({ "algorithm": "ring" }, "iterations": 2,
                                "warmup": [ { "name": "w", "iterations": 2, "accumulation": 4 } ])"),
                              std::string(), passes("1GB"));
  CHECK(o.result.iteration_time == Approx(1.2).epsilon(1e-12));
  CHECK(share(o, Bounding::straggler) == 0);
  CHECK(sentence(o) == "The NICs bound the step: 83.3 % of 1.2 s; then compute 16.7 %.");
}

TEST_CASE("jitter beyond the workload's own times is the slowest ranks', of the step that the verdict is about") {
  const Outcome o =
      evaluated(star_at("80Gbps", 32, R"(, "jitter": { "cv": 0.3 })"),
                std::string(R"({ "algorithm": "ring" }, "iterations": 20)"), std::string(), passes("1MB"));
  const double computing = at(o.result.iteration_path, Part::compute);
  CHECK(computing > 0.25); // the slowest of 32 ranks
  CHECK(share(o, Bounding::straggler) * o.result.iteration_time == Approx(computing - 0.2).epsilon(1e-9));
  CHECK(share(o, Bounding::compute) * o.result.iteration_time == Approx(0.2).epsilon(1e-9));
}

TEST_CASE("changes that slow all nodes make no straggler, one that slows a node does from then on") {
  const auto changed = [](int nodes, const char* changes) {
    return evaluated(star_at("8Gbps", nodes), three_rings, fmt::format(R"(, "changes": [{}])", changes), passes("1GB"));
  };
  // 1 GB in a ring of four: 1.5 s.
  const Outcome all = changed(4, R"({ "at": "0s", "nodes": "0-3", "compute_speed": 0.5 })");
  CHECK(all.result.iteration_time == Approx(1.9).epsilon(1e-12));
  CHECK(share(all, Bounding::straggler) == 0);
  CHECK(share(all, Bounding::compute) == Approx(0.4 / 1.9).epsilon(1e-9));
  // The last of three steps takes 400 ms of passes on node 0, and 1 s of bytes.
  const Outcome late = changed(2, R"({ "at": "1.3s", "nodes": "0", "compute_speed": 0.5 })");
  CHECK(late.result.iteration_time == Approx(1.4).epsilon(1e-12));
  CHECK(share(late, Bounding::straggler) == Approx(0.2 / 1.4).epsilon(1e-9));
  CHECK(share(late, Bounding::compute) == Approx(0.2 / 1.4).epsilon(1e-9));
  // A change within a pass. The last step begins at 2.4 s, and half of its passes are complete at 2.5 s; the rest takes
  // twice as long. On all nodes these are 200 ms, and the median takes the same time. On one node it is 100 ms more
  // than the median.
  const Outcome both = changed(2, R"({ "at": "2.5s", "nodes": "0-1", "compute_speed": 0.5 })");
  CHECK(both.result.iteration_time == Approx(1.3).epsilon(1e-12));
  CHECK(share(both, Bounding::straggler) == 0);
  const Outcome one = changed(2, R"({ "at": "2.5s", "nodes": "0", "compute_speed": 0.5 })");
  CHECK(one.result.iteration_time == Approx(1.3).epsilon(1e-12));
  CHECK(share(one, Bounding::straggler) == Approx(0.1 / 1.3).epsilon(1e-9));
}

TEST_CASE("the median is that of ranks at the time: where most are slow, nobody is") {
  const auto overridden = [](const char* nodes) {
    return evaluated(
        star_at("8Gbps", 4, fmt::format(R"(, "overrides": [{{ "nodes": "{}", "compute_speed": 0.5 }}])", nodes)),
        three_rings, std::string(), passes("1GB"));
  };
  const Outcome most = overridden("0-2"), half = overridden("0-1");
  CHECK(share(most, Bounding::straggler) == 0);
  CHECK(share(most, Bounding::compute) == Approx(0.4 / 1.9).epsilon(1e-9));
  CHECK(share(half, Bounding::straggler) == Approx(0.2 / 1.9).epsilon(1e-9));
  // Two of four are slow at first, and three from the second step on.
  const Outcome later =
      evaluated(star_at("8Gbps", 4, R"(, "overrides": [{ "nodes": "0-1", "compute_speed": 0.5 }])"), three_rings,
                std::string(R"(, "changes": [{ "at": "1s", "nodes": "2", "compute_speed": 0.5 }])"), passes("1GB"));
  CHECK(share(later, Bounding::straggler) == 0);
  CHECK(share(later, Bounding::compute) == Approx(0.4 / 1.9).epsilon(1e-9));
}

TEST_CASE("a sharded update's extra time on a slow rank is that of its shard") {
  // Rank 0 takes 400 ms for passes of 200, and 75 ms for its quarter of an update of 150 ms. Gradients are scattered
  // and parameters gathered at 10 GB/s: three quarters of 100 MB each, 15 ms.
  const Outcome o = evaluated(star_at("80Gbps", 4, R"(, "overrides": [{ "nodes": 0, "compute_speed": 0.5 }])"),
                              std::string(R"({ "algorithm": "sharded", "stage": 1 }, "iterations": 4)"), std::string(),
                              passes("100MB", "150ms"));
  CHECK(o.result.iteration_time == Approx(0.49).epsilon(1e-9));
  CHECK(share(o, Bounding::straggler) == Approx(0.2375 / 0.49).epsilon(1e-6));
  CHECK(share(o, Bounding::compute) == Approx(0.2375 / 0.49).epsilon(1e-6));
}

TEST_CASE("a server of its own is no straggler") {
  // Its node computes at a tenth of the workers' speed: 500 ms for an update of 50 ms.
  const Outcome o = evaluated(star_at("80Gbps", 2, R"(, "overrides": [{ "nodes": 2, "compute_speed": 0.1 }])"),
                              std::string(R"({ "algorithm": "parameter_server" }, "iterations": 2)"), std::string(),
                              passes("1MB", "50ms"));
  CHECK(at(o.result.iteration_path, Part::update) == Approx(0.5).epsilon(1e-9));
  CHECK(share(o, Bounding::straggler) == 0);
}

TEST_CASE("updates by servers are the servers' time, on their own nodes") {
  // 80 MB from each of four workers at 1 GB/s: 320 ms in and out, of which a worker alone takes 80. Passes take 60 ms,
  // and the server's update 200.
  const std::string updated = R"({ "update": "200ms", "layers": [{ "name": "l", "forward": "20ms", "backward": "40ms",
    "tensors": [{ "name": "g", "bytes": "80MB" }] }] })";
  const Outcome own =
      evaluated(star_of(4), std::string(R"({ "algorithm": "parameter_server" })"), std::string(), updated);
  CHECK(own.result.time == Approx(0.9).epsilon(1e-9));
  CHECK(share(own, Bounding::compute) == Approx(0.06 / 0.9).epsilon(1e-9));
  CHECK(share(own, Bounding::server) + share(own, Bounding::nic) == Approx(0.84 / 0.9).epsilon(1e-9));
  CHECK(share(own, Bounding::server) >= (0.2 + 0.48) / 0.9 * (1 - 1e-9)); // unlimited servers leave 80 ms each way
  // Four servers on the workers: each updates a quarter, on a worker's processor.
  const Outcome colocated =
      evaluated(star_of(4), std::string(R"({ "algorithm": "parameter_server", "servers": 4, "colocated": true })"),
                std::string(), updated);
  CHECK(share(colocated, Bounding::compute) == Approx((0.06 + 0.05) / colocated.result.time).epsilon(1e-9));
}

TEST_CASE("waiting for a rank's own resource belongs to what keeps it busy") {
  // Both layers' forward passes and the last layer's backward take 20 ms, then the first layer's backward 100 ms. The
  // exchange of 80 MB at half their size waits for it: rank 1 encodes, sends and rank 0 decodes, and back: 10 + 40 + 10
  // ms, twice.
  const std::string layers = R"({ "layers": [ { "name": "first", "backward": "100ms" },
    { "name": "last", "forward": "10ms", "backward": "10ms", "tensors": [{ "name": "g", "bytes": "80MB" }] } ] })";
  const auto overlapped = [&](const std::string& platform, const std::string& more) {
    return evaluated(platform, fmt::format(R"({{ "algorithm": "binomial_tree" }}, "overlap": "layerwise", {})", more),
                     std::string(), layers);
  };
  const std::string codec = R"("compression": { "ratio": 2, "placement": "gpu", "encode_bandwidth": "8GB/s",
    "decode_bandwidth": "8GB/s" })";
  const Outcome coded = overlapped(star_of(2), codec);
  CHECK(coded.result.time == Approx(0.24).epsilon(1e-9));
  CHECK(at(coded.result.iteration_path, Part::queue) == 0);
  CHECK(share(coded, Bounding::compute) == Approx(0.12 / 0.24).epsilon(1e-9));
  CHECK(share(coded, Bounding::codec) == Approx(0.04 / 0.24).epsilon(1e-9));
  CHECK(share(coded, Bounding::nic) == Approx(0.08 / 0.24).epsilon(1e-9));
  // A conversion of 10 ms on the GPU waits likewise, and 80 MB then go there and back in 160 ms.
  const Outcome converted = overlapped(
      star_of(2), R"("costs": [{ "name": "convert", "at": "before_exchange", "on": "gpu", "fixed": "10ms" }])");
  CHECK(converted.result.time == Approx(0.29).epsilon(1e-9));
  CHECK(share(converted, Bounding::compute) == Approx(0.12 / 0.29).epsilon(1e-9));
  CHECK(share(converted, Bounding::host) == Approx(0.01 / 0.29).epsilon(1e-9));
  // Half of a slow rank's passes, also of those that it waits for, are those of a straggler.
  const Outcome slow = overlapped(star_of(2, R"(, "overrides": [{ "nodes": 1, "compute_speed": 0.5 }])"), codec);
  CHECK(slow.result.time == Approx(0.36).epsilon(1e-9));
  CHECK(share(slow, Bounding::straggler) == Approx(0.12 / 0.36).epsilon(1e-9));
  CHECK(share(slow, Bounding::compute) == Approx(0.12 / 0.36).epsilon(1e-9));
}

TEST_CASE("what waits for a busy resource goes on as the work before it, not as what it did itself") {
  const std::string layer = R"({ "backward": "10ms", "tensors": [{ "bytes": "10MB" }] })";
  const auto with_cost = [&](const std::string& platform, const std::string& more = "", int streams = 1) {
    return evaluated(platform,
                     fmt::format(R"({{ "algorithm": "ring" }}, "overlap": "layerwise", "granularity": "layer",
                       "costs": [{{ "name": "c", "at": "before_exchange", "on": "gpu", "fixed": "1ms" }}],
                       "streams": {})",
                                 streams),
                     more, fmt::format(R"({{ "layers": [{0}, {0}, {0}] }})", layer));
  };
  // A GPU computes 10 + 10 ms, converts for 1 ms and computes 10 ms without a gap. Then follow 1 + 8 ms twice. The
  // first ring of 8 ms ends while the GPU computes.
  const Outcome even = with_cost(star_at("10Gbps", 2));
  CHECK(even.result.time == Approx(0.049).epsilon(1e-9));
  CHECK(share(even, Bounding::compute) == Approx(30.0 / 49).epsilon(1e-9));
  CHECK(share(even, Bounding::host) == Approx(3.0 / 49).epsilon(1e-9));
  CHECK(share(even, Bounding::nic) == Approx(16.0 / 49).epsilon(1e-9));
  // With one GPU at half its speed: 40 + 1 + 20 ms, then 1 + 8 ms twice.
  // With one GPU at half its speed: 40 + 1 + 20 ms, then 1 + 8 ms twice.
  const Outcome slow = with_cost(star_at("10Gbps", 2, R"(, "overrides": [{ "nodes": 1, "compute_speed": 0.5 }])"));
  CHECK(slow.result.time == Approx(0.079).epsilon(1e-9));
  CHECK(share(slow, Bounding::straggler) == Approx(30.0 / 79).epsilon(1e-9));
  CHECK(share(slow, Bounding::compute) == Approx(30.0 / 79).epsilon(1e-9));
  CHECK(share(slow, Bounding::nic) == Approx(16.0 / 79).epsilon(1e-9));
  // With two streams, a second conversion waits from 40 ms on, behind passes that wait themselves: 40 + 1 + 20 + 1 + 1
  // ms. Two rings of 8 ms fill the NIC from 62 ms on. A GPU that a change slows down has the same shares.
  const std::string change = R"(, "changes": [{ "at": "0s", "nodes": 1, "compute_speed": 0.5 }])";
  const Outcome changed = with_cost(star_at("10Gbps", 2), change, 2);
  CHECK(changed.result.time == Approx(0.078).epsilon(1e-9));
  CHECK(share(changed, Bounding::straggler) == Approx(30.0 / 78).epsilon(1e-9));
  CHECK(share(changed, Bounding::compute) == Approx(30.0 / 78).epsilon(1e-9));
}

TEST_CASE("a reducer that is never idle bounds a ring in pieces, not the pieces that wait for it") {
  // Blocks of 25 MB in ten pieces: 2 ms on the wire, 3.125 ms in the reducer. After the first piece's 2 ms, 30 pieces
  // are reduced without a gap. The last one and 20 more then go on.
  const Outcome o = evaluated(star_at("10Gbps", 4, R"(, "reduce_bandwidth": "0.8GB/s")"),
                              std::string(R"({ "algorithm": "ring", "pieces": 10 })"), std::string(),
                              std::string(R"({ "tensors": [{ "bytes": "100MB" }] })"));
  CHECK(o.result.time == Approx(0.13775).epsilon(1e-9));
  CHECK(share(o, Bounding::reducer) == Approx(30 * 3.125 / 137.75).epsilon(1e-9));
  CHECK(share(o, Bounding::nic) == Approx(22 * 2 / 137.75).epsilon(1e-9));
}

TEST_CASE("a step without an exchange is bound by its passes alone") {
  // Step 2 exchanges. Worker 0 has its result some 8 ms before worker 1, whose cable is slow, and then computes for 20
  // ms: the third step ends 12 ms after the second.
  const Outcome o = evaluated(
      star_at("8Gbps", 2, R"(, "overrides": [{ "nodes": 0, "compute_speed": 0.5 },
                                                   { "nodes": 1, "ingress_bandwidth": "490MB/s" }])"),
      std::string(R"({ "algorithm": "parameter_server" }, "every": 2, "iterations": 3)"), std::string(),
      std::string(R"({ "layers": [{ "backward": "10ms", "tensors": [{ "name": "g", "bytes": "100MB" }] }] })"));
  CHECK(o.result.iteration_time < 0.0121);
  CHECK(at(o.result.iteration_path, Part::compute) == Approx(o.result.iteration_time).epsilon(1e-12));
  CHECK(share(o, Bounding::compute) + share(o, Bounding::straggler) == Approx(1).epsilon(1e-12));
  CHECK(share(o, Bounding::server) == 0);
}

TEST_CASE("the parts of a job's last step sum to it, whenever the job starts") {
  for (const char* start : {"0s", "50ms", "10s"}) {
    const Outcome o = evaluate(prepare_changed(
        ScenarioSource{"job.json",
                       fmt::format(R"({{ "platform": {}, "jobs": [{{ "name": "a", "ranks": [0, 1], "start": "{}",
          "workload": {{ "layers": [{{ "backward": "20ms", "tensors": [{{ "name": "g", "bytes": "24MB" }}] }}] }},
          "training": {{ "exchange": {{ "algorithm": "ring" }}, "overlap": {{ "pipelined": 3 }}, "every": 2,
                         "iterations": 5 }} }}] }})",
                                   star_at("1Gbps", 2), start)},
        {}));
    const RunResult& run = o.result.jobs.front().run;
    INFO(start);
    CHECK(std::accumulate(run.iteration_path.begin(), run.iteration_path.end(), 0.0) ==
          Approx(run.iteration_time).epsilon(1e-12));
  }
}
