// `node` and machines of the catalogue: reading, merging, writing and rejecting.
#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/gpu_types.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

std::string on_platform(const std::string& platform) {
  return R"({ "platform": )" + platform + R"(,
  "workload": { "tensors": [ { "name": "g", "bytes": "1MB" } ] }, "training": { "exchange": { "algorithm": "ring" } } })";
}

const std::string two_gpus = R"({ "nodes": 2, "network": { "topology": "star" }, "node": { "gpus": 2, "gpu": "V100",
  "nic": { "bandwidth": "100Gbps" } } })";

Scenario read_on(const std::string& platform, const std::vector<std::string>& sets = {}) {
  return parse_scenario(on_platform(platform), "s.json", sets);
}

} // namespace

TEST_CASE("A node is read with its defaults, and survives its canonical form") {
  const auto scenario = read_on(two_gpus);
  REQUIRE(scenario.platform.node);
  CHECK(scenario.platform.gpus_per_node == 2);
  CHECK(scenario.workers() == 4);
  CHECK(scenario.platform.node->intra == NodeFabric::pcie);
  CHECK(scenario.platform.node->gpu == gpu_named("V100"));
  for (const char* platform :
       {R"("dgx-a100")", R"({ "machine": "aws-p3dn", "nodes": 2 })",
        R"({ "nodes": 2, "network": { "topology": "star" }, "node": { "gpus": 4, "intra": "nvlink_mesh",
             "gpu": { "generation": "hopper", "links": 6, "link_rate": "25GB/s", "host_link": "100GB/s" },
             "pairs": [[0, 1, 3], [2, 3]], "nics": 2, "near": [0, [0, 1], 1, 1], "rails": true,
             "nic": { "bandwidth": "100Gbps" } } })"}) {
    const auto text = canonical_json(read_on(platform));
    CHECK(canonical_json(parse_scenario(text, "s.json")) == text);
    CHECK(text.find("\"machine\"") == std::string::npos);
  }
}

TEST_CASE("Beside a node the keys that it replaces are refused, each where it stands") {
  const auto text = errors_of_text(on_platform(R"({ "nodes": 2, "gpus_per_node": 2, "intra_node": { "kind": "none" },
    "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } },
    "node": { "gpus": 2, "gpu": "V100", "nic": { "bandwidth": "100Gbps" } } })"));
  for (const char* part : {"/platform/gpus_per_node", "/platform/intra_node", "/platform/network/link",
                           "\"node\" excludes it: node.nic describes the cables"})
    CHECK(text.find(part) != std::string::npos);
  const auto wrong = errors_of_text(on_platform(R"({ "nodes": 2, "network": { "topology": "star" },
    "node": { "gpus": 0, "gpu": "A10O", "nics": 0, "gpus_per_switch": -1, "pairs": [[0]] } })"));
  for (const char* part :
       {"/node/gpus", "did you mean \"A100\"?", "/node/nics", "/node/gpus_per_switch", "\"nic\" is missing"})
    CHECK(wrong.find(part) != std::string::npos);
  CHECK(wrong.find("\"link\" is missing") == std::string::npos);
}

TEST_CASE("A machine of the catalogue: by name, with keys on top, replaced by --set") {
  CHECK(read_on(R"("dgx-a100")").platform.node->nics == 8);
  auto scenario =
      read_on(R"({ "machine": "dgx-a100", "nodes": 4, "node": { "nics": 4, "nic": { "latency": "3us" } } })");
  CHECK(scenario.platform.nodes == 4);
  CHECK(scenario.platform.node->nics == 4);
  CHECK(scenario.platform.node->nic.latency == Seconds(3e-6));
  CHECK(scenario.platform.node->nic.bandwidth == ByteRate(25e9));
  CHECK(scenario.platform.machine == "dgx-a100");
  // Another machine keeps the scenario's own settings, and nothing of the first machine.
  scenario = read_on(R"({ "machine": "dgx-a100", "nodes": 4, "node": { "nic": { "latency": "3us" } } })",
                     {"platform.machine=aws-p3dn"});
  const auto direct = read_on(R"({ "machine": "aws-p3dn", "nodes": 4, "node": { "nic": { "latency": "3us" } } })");
  CHECK(canonical_json(scenario) == canonical_json(direct));
  CHECK(read_on(R"("dgx-a100")", {"platform=dgx-h100"}).platform.node->gpu.name == "H100");
  for (const char* spelt : {R"("DGX A100")", R"("dgx_a100")", R"({ "machine": "DGX-A100" })"})
    CHECK(canonical_json(read_on(spelt)) == canonical_json(read_on(R"("dgx-a100")")));
  CHECK(errors_of_text(on_platform(R"("dgx-a10")")).find("unknown machine \"dgx-a10\"; did you mean \"dgx-a100\"?") !=
        std::string::npos);
  CHECK(errors_of_text(on_platform(R"("dgx-a100.json")")).find("unknown machine") == std::string::npos);
  CHECK(errors_of_text(on_platform(R"({ "machine": 7 })")).find("expected a machine's name, got") != std::string::npos);
}

TEST_CASE("Every machine of the catalogue can be built, with sources") {
  const auto names = machine_names();
  for (const char* wanted :
       {"dgx-1-v100",         "dgx-2",       "dgx-a100",       "dgx-h100",   "hgx-h200",         "gb200-nvl72",
        "mi300x-8",           "aws-p3dn",    "aws-p4d",        "aws-p5",     "azure-nd-a100-v4", "azure-nd-h100-v5",
        "gcp-a3-high",        "gcp-a3-mega", "abci-2-v",       "abci-2-a",   "polaris",          "alps",
        "gh200-x4-slingshot", "mahti",       "a100-pcie-pair", "rack-25gbe", "rack-100gbe",      "rack-400gbe"})
    CHECK(std::ranges::find(names, wanted) != names.end());
  for (const auto& name : names) {
    INFO(name);
    const auto machine = load_changed_platform(name, 2, {}, "--platform");
    REQUIRE(machine.node);
    CHECK_FALSE(machine.source.empty());
    CHECK_FALSE(machine.node->nic_source.empty());
    CHECK_FALSE(machine.node->source.empty());
    const auto platform = build_platform(machine, 1);
    const int gpus = platform.gpu_places();
    for (int a = 0; a < gpus; ++a)
      for (int b = 0; b < gpus; ++b) {
        if (a == b) continue;
        const auto [alpha, bandwidth] = platform.cost(a, b);
        const bool plausible = alpha > 0.1e-6 && alpha < 40e-6 && bandwidth > 1e9 && bandwidth < 1e12;
        if (!plausible) FAIL("from " << a << " to " << b << ": " << alpha << " s, " << bandwidth << " B/s");
      }
  }
  const auto rate = [](const char* name, int a, int b) {
    return build_platform(load_platform(name), 0).cost(a, b).bandwidth;
  };
  CHECK(rate("dgx-2", 0, 15) == Approx(6 * 22.6e9));
  CHECK(rate("dgx-h100", 0, 7) == Approx(18 * 20.6e9));
  CHECK(rate("gb200-nvl72", 0, 71) == Approx(18 * 40.1e9));
  CHECK(rate("polaris", 0, 3) == Approx(4 * 20e9));
  CHECK(rate("alps", 0, 3) == Approx(6 * 20.6e9));
  CHECK(rate("mi300x-8", 0, 3) == Approx(48e9));
}

TEST_CASE("Routing by hash is written as a name or with its seed") {
  const std::string tree = R"({ "nodes": 4, "network": { "topology": "fat_tree", "link": { "bandwidth": "1GB/s" },
    "fat_tree": { "levels": [ { "down": 2 }, { "down": 2, "up": 2 } ] } } })";
  const auto routing = [&](const std::vector<std::string>& sets) {
    return read_on(tree, sets).platform.network.routing;
  };
  CHECK(routing({}).kind == RoutingSpec::Kind::by_topology);
  CHECK(routing({R"(platform.network.routing="ecmp")"}).kind == RoutingSpec::Kind::ecmp);
  CHECK(routing({R"(platform.network.routing={"ecmp": {"seed": 7}})"}).seed == 7);
  const auto seeded = canonical_json(read_on(tree, {R"(platform.network.routing={"ecmp": {"seed": 7}})"}));
  CHECK(canonical_json(parse_scenario(seeded, "s.json")) == seeded);
  CHECK(canonical_json(read_on(tree, {"platform.network.routing=static"})) == canonical_json(read_on(tree)));
  const auto free = read_on(tree, {"platform.network.routing=adaptive"});
  CHECK(free.platform.network.routing.kind == RoutingSpec::Kind::adaptive);
  CHECK(parse_scenario(canonical_json(free), "s.json").platform.network.routing.kind == RoutingSpec::Kind::adaptive);
  CHECK(errors_of_text(on_platform(tree), {"platform.network.routing=emcp"}).find("did you mean \"ecmp\"?") !=
        std::string::npos);
}
