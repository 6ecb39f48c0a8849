// The routes printed in docs/platforms.md equal those of the platforms.
#include "support.hpp"
#include "tests/support/gpu_types.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <source_dir.hpp>
#include <sstream>

using namespace gradflight;
using namespace gradflight::test;

namespace {

std::map<std::string, Platform> documented() {
  std::map<std::string, Platform> platforms;
  const auto add = [&](const char* name, const PlatformSpec& spec) {
    platforms.emplace(name, build_platform(spec, 0));
  };
  add("star", network(Topology::star, 4));
  add("racks", racks(5, 2, 4));
  add("fat_tree", fat_tree(16, {{4, 1, 1, {}}, {4, 2, 1, {}}}));
  add("torus", torus(12, {4, 3}));
  add("dragonfly", dragonfly(12, 3, 2, 2, 1));
  std::vector<GraphEdge> edges;
  for (const auto& [from, to, ms] : std::vector<std::tuple<const char*, const char*, double>>{
           {"0", "a", 0}, {"1", "b", 0}, {"2", "c", 0}, {"a", "b", 10}, {"b", "c", 20}, {"a", "c", 40}})
    edges.push_back({from, to, cable(1e9, 1e-3 * ms), false});
  add("graph", graph(3, {"a", "b", "c"}, edges));
  add("nvlink", with_gpus(network(Topology::star, 2), 3, IntraKind::nvlink, 0, true));
  auto dgx = network(Topology::star, 2);
  dgx.gpus_per_node = 8;
  dgx.node.emplace();
  dgx.node->gpus = 8;
  dgx.node->gpu = gpu_named("A100");
  dgx.node->intra = NodeFabric::nvswitch;
  dgx.node->nics = 4;
  dgx.node->nic = cable(25e9, 1e-6);
  dgx.node->gpus_per_switch = 2;
  dgx.node->rails = true;
  add("dgx", dgx);
  platforms.emplace("pcie", build_platform(with_gpus(network(Topology::star, 2), 5, IntraKind::pcie, 2), 1));
  return platforms;
}

} // namespace

TEST_CASE("docs/platforms.md prints the routes that platforms have") {
  const auto platforms = documented();
  std::ifstream file(GF_SOURCE_DIR "/docs/platforms.md");
  REQUIRE(file);
  std::map<std::string, int> checked;
  bool inside = false;
  std::string line, name;
  while (std::getline(file, line)) {
    if (line.starts_with("```")) {
      inside = line == "```text";
    } else if (inside && line.starts_with("# ")) {
      name = line.substr(2);
    } else if (inside) {
      INFO(name << ": " << line);
      std::istringstream words(line);
      int from = -1, to = -1;
      std::string arrow, link;
      REQUIRE(words >> from >> arrow >> to);
      Names names;
      while (words >> link) names.push_back(link);
      REQUIRE(platforms.count(name) == 1);
      CHECK(route(platforms.at(name), from, to) == names);
      ++checked[name];
    }
  }
  for (const auto& [documented_name, platform] : platforms) {
    INFO(documented_name);
    CHECK(checked[documented_name] > 0);
  }
}
