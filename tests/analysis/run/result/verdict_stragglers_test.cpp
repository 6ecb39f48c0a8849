// The share of slow ranks in the verdict: cases derived by hand. The time of the median rank is compute; the rest
// belongs to the slowest ranks.
#include "tests/analysis/run/result/verdict_cases.hpp"

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
