#include "scenarios/language/decode/canonical.hpp"

#include "tests/scenarios/support.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <rapidcheck.h>
#include <source_dir.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

Scenario reloaded(const Scenario& s) { return parse_scenario(canonical_json(s), "again.json"); }

/// Returns a number with few or many digits, as text without a unit.
std::string any_number() {
  return *rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange(1, 100'000), [](int n) { return fmt::format("{}", n); }),
      rc::gen::map(rc::gen::inRange(1, 1'000'000'000), [](int n) { return fmt::format("{}", n / 7e9); }));
}
template <class T> T one_of(std::initializer_list<T> values) { return *rc::gen::elementOf(std::vector<T>(values)); }
std::string pick(std::initializer_list<const char*> values) { return one_of(values); }

std::string any_exchange() {
  const auto n = *rc::gen::inRange(1, 8);
  return one_of<std::string>(
      {R"({"algorithm":"recursive_doubling"})", fmt::format(R"({{"algorithm":"ring","pieces":{}}})", n),
       fmt::format(R"({{"algorithm":"parameter_server","servers":{},"pull":"{}","colocated":{}}})", n,
                   pick({"flat", "binomial"}), pick({"true", "false"})),
       fmt::format(R"({{"algorithm":"parameter_server","consistency":"bounded_staleness","staleness_bound":{}}})", n),
       fmt::format(R"({{"algorithm":"parameter_server","backup_workers":{}}})", n % 8),
       fmt::format(R"({{"algorithm":"hierarchical","group_size":{}}})", n),
       fmt::format(R"({{"algorithm":"hierarchical","top":"{}","levels":[{{"group_size":{},"reduce":"{}"}},
                        {{"group_size":2,"aggregator":"dedicated"}}]}})",
                   pick({"ring", "halving_doubling"}), n, pick({"flat", "ring", "binomial", "allreduce"})),
       fmt::format(R"({{"algorithm":"gtopk","density":{},"merge_bandwidth":"{}GB/s"}})", 1.0 / n, any_number()),
       fmt::format(R"({{"algorithm":"topk_allgather","all_gather":"{}","merge_bandwidth":"{}GB/s"}})",
                   pick({"recursive_doubling", "ring"}), any_number())});
}

std::string any_granularity() {
  return one_of<std::string>({"\"model\"", "\"tensor\"", fmt::format("{{\"fusion_threshold\":\"{}KB\"}}", any_number()),
                              fmt::format("{{\"ddp_bucket\":\"{}MiB\"}}", any_number()), "{\"segments\":3}"});
}

std::string any_overlap() { return one_of<std::string>({"\"none\"", "\"layerwise\"", "{\"pipelined\":3}"}); }

std::string any_network() {
  const auto link = fmt::format(R"("link":{{"bandwidth":"{}Gbps","latency":"{}us"}})", any_number(), any_number());
  return one_of<std::string>(
      {fmt::format(R"({{"topology":"star",{}}})", link),
       fmt::format(R"({{"topology":"racks",{},"racks":{{"nodes_per_rack":4,"oversubscription":{}}}}})", link,
                   any_number()),
       fmt::format(R"({{"topology":"racks",{0},"racks":{{"nodes_per_rack":4,"uplink":{{"bandwidth":"{1}Gbps"}}}}}})",
                   link, any_number()),
       fmt::format(
           R"({{"topology":"fat_tree",{},"fat_tree":{{"levels":[{{"down":4,"up":2}},{{"down":2,"cables":2}}]}}}})",
           link),
       fmt::format(R"({{"topology":"torus",{},"torus":{{"dimensions":[2,4]}}}})", link),
       fmt::format(
           R"({{"topology":"dragonfly",{0},"dragonfly":{{"groups":2,"routers":2,"nodes":2,"local":{{"bandwidth":"{1}MB/s"}}}}}})",
           link, any_number()),
       fmt::format(R"({{"topology":"graph","switches":["s"],"links":[{{"from":0,"to":"s","bandwidth":"{}Mbps"}}]}})",
                   any_number())});
}

Scenario any_scenario() {
  std::vector<std::string> sets{
      "platform.network=" + any_network(),
      "training.exchange=" + any_exchange(),
      "training.granularity=" + any_granularity(),
      "training.overlap=" + any_overlap(),
      fmt::format("training.iterations={}", *rc::gen::inRange(1, 1'000'000'000)),
      fmt::format("training.compression={{\"ratio\":{}}}", 1 + *rc::gen::inRange(0, 1000) / 7.0),
      fmt::format(R"(training.costs=[{{"name":"\"é\\","at":"{}","on":"{}","per_byte":"{}ns/B","fixed":"{}us"}}])",
                  pick({"iteration", "before_exchange", "message_send"}), pick({"gpu", "cpu", "pcie"}), any_number(),
                  any_number()),
      fmt::format(R"(platform.overrides=[{{"link":"node1.up","latency":"{}us"}},{{"nodes":"0-2,5","compute_speed":{}}},
                     {{"link":"node2.up","bandwidth":"1GB/s"}}])",
                  any_number(), any_number()),
      fmt::format(
          R"(workload={{"name":"w","batch":3,"update":"{}us","layers":[{{"name":"a","forward":"{}ms","backward":"{}us",
                      "tensors":[{{"shape":[3,5,7]}},{{"bytes":"400B"}}]}},{{"tensors":[{{"elements":11}}]}}]}})",
          any_number(), any_number(), any_number()),
      "engine=" + pick({"hybrid", "simgrid", "{\"shortcuts\":false}"}),
      "placement=" + pick({"linear", "cyclic"}),
      fmt::format("limits.simulated_time={}h", any_number()),
      fmt::format("limits.wall_time={}s", any_number()),
      "limits.messages=123456789012",
      fmt::format(R"(expect=[{{"quantity":"time_s","value":{},"tolerance":1e-9,"why":"because"}}])", any_number()),
  };
  if (*rc::gen::arbitrary<bool>())
    sets.push_back(
        fmt::format(R"(platform.intra_node={{"kind":"{}","link":{{"bandwidth":"{}GB/s","egress_bandwidth":"1GB/s"}}}})",
                    pick({"pcie", "nvlink"}), any_number()));
  if (*rc::gen::arbitrary<bool>() && std::ranges::count(sets, "engine=simgrid") == 0)
    sets.push_back(
        fmt::format(R"(platform.protocol={{"eager_limit":"{}KB","frame":"{}MB","frame_payload":"1B","burst":"{}B",
                     "frames_per_acknowledgement":{}}})",
                    any_number(), any_number(), any_number(), *rc::gen::inRange(1, 9)));
  const auto base = parse_scenario(minimal, "s.json", sets);
  if (*rc::gen::arbitrary<bool>()) return base;
  // A phase of a different kind, which only a whole scenario can contain.
  auto other = parse_scenario(minimal, "s.json",
                              {sets[8], "training.exchange=" + any_exchange(),
                               "training.granularity=" + any_granularity(), "training.overlap=" + any_overlap()});
  auto both = base;
  both.phases.insert(both.phases.begin(), {"first", other.phases[0].training});
  return both;
}

} // namespace

TEST_CASE("the canonical form loads to the same scenario") {
  REQUIRE(rc::check("canonical(load(canonical(s))) == canonical(s)", [] {
    const auto s = any_scenario();
    const auto again = reloaded(s);
    RC_ASSERT(canonical_json(again) == canonical_json(s));
    RC_ASSERT(scenario_id(again) == scenario_id(s));
    // Compare values that the text could hide.
    RC_ASSERT(again.name == s.name);
    RC_ASSERT(again.phases.size() == s.phases.size());
    for (std::size_t i = 0; i < s.phases.size(); ++i) {
      const auto &a = again.phases[i].training, &b = s.phases[i].training;
      RC_ASSERT(a.exchange.algorithm == b.exchange.algorithm);
      RC_ASSERT(a.exchange.servers == b.exchange.servers);
      RC_ASSERT(a.exchange.density == b.exchange.density);
      RC_ASSERT(a.granularity.kind == b.granularity.kind);
      RC_ASSERT(a.granularity.bytes == b.granularity.bytes);
      RC_ASSERT(a.iterations == b.iterations);
      RC_ASSERT(a.compression.ratio == b.compression.ratio);
      RC_ASSERT(a.costs.size() == b.costs.size());
    }
    RC_ASSERT(again.platform.network.link.bandwidth == s.platform.network.link.bandwidth);
    RC_ASSERT(again.platform.node_overrides.size() == s.platform.node_overrides.size());
    RC_ASSERT(again.platform.node_overrides[0].entry == s.platform.node_overrides[0].entry);
    RC_ASSERT(again.workload.layers[0].forward == s.workload.layers[0].forward);
    RC_ASSERT(again.workload.elements() == s.workload.elements());
    RC_ASSERT(again.limits.simulated_time == s.limits.simulated_time);
    RC_ASSERT(again.limits.messages == s.limits.messages);
    RC_ASSERT(again.limits.wall_time == s.limits.wall_time);
  }));
}

TEST_CASE("the canonical form says everything in base units with sorted keys") {
  const auto text = canonical_json(with({"name=x"}));
  CHECK_THAT(text, Catch::StartsWith("{\n  \"description\": \"\",\n  \"engine\": {\n    \"kind\": \"hybrid\",\n"));
  CHECK_THAT(text, Catch::Contains("\"bandwidth\": \"1250000000B/s\""));
  CHECK_THAT(text, Catch::Contains("\"latency\": \"5e-06s\""));
  CHECK_THAT(text, Catch::Contains("\"streams\": 1"));
  CHECK_THAT(text, !Catch::Contains("servers")); // a ring does not read it
}

TEST_CASE("the id is of what can change a timing") {
  const auto id = scenario_id(with({}));
  CHECK(id.size() == 16);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  for (const auto* same : {"name=other", "description=other", "platform.name=p", "platform.source=p",
                           "workload.source=w", "platform.network.link.latency=0.005ms", "training.streams=1",
                           "training.exchange.pieces=1", "expect=[{\"quantity\":\"time_s\",\"value\":1}]", "engine={}"})
    CHECK(scenario_id(with({same})) == id);
  for (const auto* other :
       {"platform.nodes=9", "platform.network.link.latency=5.0000000001us", "training.streams=2",
        "workload.tensors.0.bytes=99MB", "engine=simgrid", "limits.simulated_time=1h", "placement=cyclic"})
    CHECK(scenario_id(with({other})) != id);
}

TEST_CASE("captured gradients count by what is in them, not by where they lie") {
  namespace fs = std::filesystem;
  const fs::path captured = GF_SOURCE_DIR "/workloads/captured/small-cnn",
                 copy = fs::temp_directory_path() / "gf-copied-gradients";
  fs::remove_all(copy);
  fs::copy(captured, copy, fs::copy_options::recursive);
  const auto id = [](const fs::path& folder) {
    return scenario_id(parse_scenario(
        fmt::format(R"({{"platform":{{"nodes":4,"network":{{"topology":"star","link":{{"bandwidth":"1Gbps"}}}}}},
          "workload":"{0}/workload.json",
          "training":{{"exchange":{{"algorithm":"ring"}},"compression":{{"tensors":"{0}"}},
            "warmup":[{{"iterations":1}}]}}}})",
                    folder.string()),
        "s.json"));
  };
  const std::string before = id(captured);
  CHECK(id(copy) == before);
  {
    std::fstream values(copy / "gradients" / "late" / "worker-3.npy.gz",
                        std::ios::in | std::ios::out | std::ios::binary);
    values.seekp(-1, std::ios::end);
    values.put('\x3f');
  }
  const std::string after = id(copy);
  CHECK(after != before);
  // The content is read once; it is read again only after a change of the size or the time of writing.
  const fs::path file = copy / "gradients" / "late" / "worker-3.npy.gz";
  const auto written = fs::last_write_time(file);
  {
    std::fstream values(file, std::ios::in | std::ios::out | std::ios::binary);
    values.seekp(-1, std::ios::end);
    values.put('\x3e');
  }
  fs::last_write_time(file, written);
  CHECK(id(copy) == after);
  fs::last_write_time(file, written + std::chrono::seconds(1));
  CHECK(id(copy) != after);
  fs::remove_all(copy);
}
