#include "platforms/code/platform.hpp"
#include "scenarios/language/kinds/file_kinds.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

const std::string star = R"({ "$schema": "x", "nodes": 4,
  "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } } })";
const std::string work = R"({ "tensors": [ { "name": "g", "elements": 100 } ] })";
const std::string ring = R"("training": { "exchange": { "algorithm": "ring" } })";

} // namespace

TEST_CASE("platform and workload may be paths, relative to the file they are written in") {
  const TemporaryDirectory dir;
  dir.write("platforms/star.json", star);
  dir.write("work.json", work);
  const auto file =
      dir.write("scenarios/a.json", R"({ "$schema": "../schema.json", "platform": "../platforms/star.json",
      "workload": "../work.json", )" + ring +
                                        "}");
  const auto s = load_scenario(file, {"platform.nodes=6"});
  CHECK(s.name == "a");
  CHECK(s.platform.nodes == 6);
  CHECK(s.workload.elements() == 100);
}

TEST_CASE("a file may start from another: objects merge, the rest replaces, null removes") {
  const TemporaryDirectory dir;
  dir.write("base/star.json", star);
  dir.write("base/base.json",
            R"({ "name": "base", "platform": "star.json", "workload": )" + work +
                R"(, "training": { "streams": 2, "exchange": { "algorithm": "parameter_server", "servers": 2 },
                                     "granularity": { "segments": 4 } } })");
  const auto derived = dir.write("derived.json", R"({ "extends": "base/base.json",
      "platform": { "network": { "link": { "latency": "1ms" } } },
      "training": { "granularity": { "fusion_threshold": "1KB" }, "exchange": { "algorithm": "ring", "servers": null } } })");
  const auto s = load_scenario(derived);
  CHECK(s.name == "base");
  CHECK(s.platform.nodes == 4);
  CHECK(s.platform.network.link.bandwidth.value() == 1.25e8);
  CHECK(s.platform.network.link.latency->value() == 1e-3);
  CHECK(s.phases[0].training.streams == 2);
  CHECK(s.phases[0].training.exchange.algorithm == Algorithm::ring);
  CHECK(s.phases[0].training.granularity.kind == Granularity::Kind::fusion);

  // A path, or an object with its own base, replaces the inherited value.
  dir.write("torus.json", R"({ "nodes": 2, "network": { "topology": "torus", "link": { "bandwidth": "1Gbps" },
      "torus": { "dimensions": [2] } } })");
  const auto other = dir.write("other.json", R"({ "extends": "derived.json", "platform": "torus.json" })");
  CHECK(load_scenario(other).platform.network.topology == Topology::torus);
  CHECK(load_scenario(other).platform.nodes == 2);
  const auto third = dir.write("third.json", R"({ "extends": "other.json",
      "platform": { "extends": "base/star.json", "nodes": 3 } })");
  CHECK(load_scenario(third).platform.network.topology == Topology::star);
  CHECK(load_scenario(third).platform.nodes == 3);
}

TEST_CASE("a mistake is told where it was written") {
  const TemporaryDirectory dir;
  const auto base =
      dir.write("base.json", "{ \"platform\": " + star + ",\n  \"workload\": " + work + ",\n" + R"(  "training": {
    "exchange": { "algorithm": "rong" } } })");
  const auto derived = dir.write("derived.json", "{ \"extends\": \"base.json\",\n  \"platform\": { \"nodes\": 0 } }");
  CHECK(
      errors_of([&] { load_scenario(derived); }) ==
      derived + ":2:26: /platform/nodes: expected an integer from 1 to 1000000, got the number 0\n" + base +
          ":5:32: /training/exchange/algorithm: \"rong\" is not an algorithm; did you mean \"ring\"? Allowed: "
          "parameter_server, ring, recursive_doubling, halving_doubling, binomial_tree, hierarchical, topk_allgather, "
          "gtopk, sharded, blocking_ring, nccl, nccl:ring, nccl:tree, nccl:nvls, nccl:nvls_tree, rccl, rccl:ring, "
          "rccl:tree, mpi, "
          "mpi:4.0, mpi:4.1, spread, direct, chain, binary_tree, double_binary_tree, two_level, in_switch, nvls\n");
}

TEST_CASE("includes that lead nowhere are told") {
  const TemporaryDirectory dir;
  const auto missing = dir.write("missing.json", R"({ "platform": "none.json", "workload": "bad.json", )" + ring + "}");
  const auto bad = dir.write("bad.json", "{ \"tensors\": [ }");
  const auto text = errors_of([&] { load_scenario(missing); });
  CHECK_THAT(text, Catch::StartsWith(missing + ":1:15: /platform: \"" + dir.path("none.json") + "\": no such file\n" +
                                     bad + ":1:16: not valid JSON: "));

  const auto a = dir.write("a.json", "{ \"extends\": \"b.json\" }");
  const auto b = dir.write("b.json", "{ \"extends\": \"a.json\" }");
  CHECK(errors_of([&] { load_scenario(a); }) ==
        b + ":1:14: /extends: these files include each other in a cycle: " + a + " -> " + b + " -> " + a + "\n");
  const auto self = dir.write("self.json", R"({ "platform": "self.json" })");
  CHECK_THAT(errors_of([&] { load_scenario(self); }),
             Catch::Contains("/platform: these files include each other in a cycle: "));

  for (int i = 0; i < 20; ++i)
    dir.write(std::to_string(i) + ".json", "{ \"extends\": \"" + std::to_string(i + 1) + ".json\" }");
  CHECK_THAT(errors_of([&] { load_scenario(dir.path("0.json")); }),
             Catch::Contains("/extends: files include each other more than 16 deep: "));

  const auto number = dir.write("number.json", "{ \"extends\": 5 }");
  CHECK_THAT(errors_of([&] { load_scenario(number); }),
             Catch::Contains(":1:14: /extends: expected the path of a file, got the number 5"));
}

TEST_CASE("what a file says is checked though the file that it extends is missing") {
  const TemporaryDirectory dir;
  const std::string missing = "/extends: \"" + dir.path("none.json") + "\": no such file\n";
  const auto told = [&](const std::string& more) {
    const auto file = dir.write("s.json", R"({ "extends": "none.json")" + more + " }");
    return errors_of([&] { load_scenario(file); });
  };
  // No key is missing, keys may need others of the base, and null removes what the base has.
  CHECK_THAT(told(R"(, "training": { "exchange": { "servers": 2 } }, "platform": { "nodes": 4, "nic": null })"),
             Catch::EndsWith(missing) && !Catch::Contains("is missing"));
  CHECK_THAT(told(R"(, "platform": { "nods": 4 }, "training": { "iterations": 0 })"),
             Catch::Contains(missing) && Catch::Contains("unknown key \"nods\"; did you mean \"nodes\"?") &&
                 Catch::Contains("/training/iterations: expected an integer from 1"));
}

TEST_CASE("validate tells what a file is") {
  const TemporaryDirectory dir;
  CHECK(validate_file(dir.write("s.json", minimal)) == FileKind::scenario);
  CHECK(validate_file(dir.write("p.json", star)) == FileKind::platform);
  CHECK(validate_file(dir.write("w.json", work)) == FileKind::workload);
  const auto many = dir.write("many.json", R"({ "nodes": 9, "network": { "topology": "torus",
      "link": { "bandwidth": "1Gbps" }, "torus": { "dimensions": [2, 2] } } })");
  CHECK_THAT(errors_of([&] { validate_file(many); }), Catch::Contains("many.json:") && Catch::Contains("torus"));
}

TEST_CASE("what needs the built platform is told at its place, too") {
  const TemporaryDirectory dir;
  const auto file = dir.write("s.json", minimal);
  const auto check = [](const Scenario& s, Known known) {
    CHECK(known == Known::all);
    return std::vector<PlatformError>{{"/platform/network/link", "too thin for " + s.name}};
  };
  CHECK(errors_of([&] { load_scenario(file, {}, check); }) == file + ":2:46: /platform/network/link: too thin for s\n");
}
