#include "support.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

using namespace gradflight;
using namespace gradflight::test;

namespace {
std::vector<int> flows_per_link(const Platform& p, const std::vector<std::pair<int, int>>& pairs) {
  std::vector<int> flows(p.links().size(), 0);
  Route links;
  for (const auto& [from, to] : pairs) {
    p.route(from, to, links);
    for (const auto l : links) ++flows[static_cast<std::size_t>(l)];
  }
  return flows;
}
} // namespace

TEST_CASE("fat tree: D-mod-K by hand") {
  // 4 leaf switches of 4 nodes, 2 roots: 2:1 oversubscribed. The root for destination d is d mod 2.
  const auto p = build_platform(fat_tree(16, {{4, 1, 1, {}}, {4, 2, 1, {}}}), 0);
  CHECK(p.links().size() == 2 * 16 + 2 * 4 * 2);
  CHECK(route(p, 0, 3) == Names{"node0.up", "node3.down"});
  CHECK(route(p, 0, 4) == Names{"node0.up", "sw1-0.up0", "sw1-1.down0", "node4.down"});
  CHECK(route(p, 0, 5) == Names{"node0.up", "sw1-0.up1", "sw1-1.down1", "node5.down"});
  CHECK(route(p, 5, 0) == Names{"node5.up", "sw1-1.up0", "sw1-0.down0", "node0.down"});
  CHECK(route(p, 15, 7) == Names{"node15.up", "sw1-3.up1", "sw1-1.down1", "node7.down"});
}

TEST_CASE("fat tree: three levels and parallel cables") {
  // m = 2,2,2; w = 1,2,2; p = 1,1,2: 4 leaves, 2 groups of 2 switches, 4 roots with 2 cables each.
  const auto p = build_platform(fat_tree(8, {{2, 1, 1, {}}, {2, 2, 1, {}}, {2, 2, 2, {}}}), 0);
  // Nodes 8 x 1, leaves 4 x 2, second level 4 switches x 4 ports.
  CHECK(p.links().size() == 2 * (8 + 8 + 16));
  // To 7: leaf port 7 mod 2 = 1, replica 1; then 7 / 2 mod 4 = 3. sw2-1 is group 0, replica 1; sw2-3 is group 1.
  CHECK(route(p, 0, 7) == Names{"node0.up", "sw1-0.up1", "sw2-1.up3", "sw2-3.down3", "sw1-3.down1", "node7.down"});
  CHECK(route(p, 7, 0) == Names{"node7.up", "sw1-3.up0", "sw2-2.up0", "sw2-0.down0", "sw1-0.down0", "node0.down"});
  // To 6: leaf port 0, replica 0; then 6 / 2 mod 4 = 3.
  CHECK(route(p, 0, 6) == Names{"node0.up", "sw1-0.up0", "sw2-0.up3", "sw2-2.down3", "sw1-3.down0", "node6.down"});
  CHECK(route(p, 4, 6) == Names{"node4.up", "sw1-2.up0", "sw1-3.down0", "node6.down"});
}

TEST_CASE("fat tree: a node with two cables") {
  const auto p = build_platform(fat_tree(4, {{4, 1, 2, {}}}), 0);
  CHECK(p.links().size() == 16);
  CHECK(route(p, 0, 2) == Names{"node0.up0", "node2.down0"});
  CHECK(route(p, 0, 3) == Names{"node0.up1", "node3.down1"});
}

TEST_CASE("fat tree: levels may have links of their own") {
  auto spec = fat_tree(4, {{2, 1, 1, {}}, {2, 1, 1, cable(5e9, 1e-6)}});
  const auto p = build_platform(spec, 0);
  CHECK(link_named(p, "node0.up").bandwidth == 1.25e9);
  CHECK(link_named(p, "sw1-1.up").bandwidth == 5e9);
  CHECK(p.cost(0, 3).alpha == Approx(1.2e-5).epsilon(1e-15));
}

TEST_CASE("fat tree: a partial tree builds only what has a node below it") {
  const std::vector<FatTreeLevel> levels{{4, 1, 1, {}}, {4, 2, 1, {}}};
  const auto full = build_platform(fat_tree(16, levels), 0), part = build_platform(fat_tree(5, levels), 0);
  CHECK(part.links().size() == 2 * 5 + 2 * 2 * 2);
  for (int a = 0; a < 5; ++a)
    for (int b = 0; b < 5; ++b) CHECK(route(part, a, b) == route(full, a, b));
}

TEST_CASE("fat tree: every shift permutation of a non-blocking tree is free of contention") {
  // Zahavi, JPDC 2012: D-mod-K on a full constant-bisection PGFT.
  for (const auto& levels : std::vector<std::vector<FatTreeLevel>>{{{4, 1, 1, {}}, {4, 4, 1, {}}},
                                                                   {{4, 1, 1, {}}, {4, 2, 2, {}}},
                                                                   {{2, 1, 1, {}}, {3, 2, 1, {}}, {2, 3, 1, {}}}}) {
    int nodes = 1;
    for (const auto& l : levels) nodes *= l.down;
    const auto p = build_platform(fat_tree(nodes, levels), 0);
    for (int shift = 1; shift < nodes; ++shift) {
      std::vector<std::pair<int, int>> pairs;
      for (int n = 0; n < nodes; ++n) pairs.emplace_back(n, (n + shift) % nodes);
      const auto flows = flows_per_link(p, pairs);
      CHECK(*std::max_element(flows.begin(), flows.end()) == 1);
    }
  }
}

TEST_CASE("fat tree: all to all loads every cable of a level the same") {
  const auto p = build_platform(fat_tree(24, {{2, 1, 1, {}}, {3, 2, 1, {}}, {4, 3, 1, {}}}), 0);
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < 24; ++a)
    for (int b = 0; b < 24; ++b)
      if (a != b) pairs.emplace_back(a, b);
  const auto flows = flows_per_link(p, pairs);
  std::map<std::string, std::map<int, int>> counts; // level -> flows -> links
  for (std::size_t l = 0; l < flows.size(); ++l) counts[p.links()[l].name.substr(0, 3)][flows[l]]++;
  CHECK(counts.at("nod") == std::map<int, int>{{23, 48}});
  CHECK(counts.at("sw1") == std::map<int, int>{{22, 48}}); // 2 * 22 flows out of each leaf over 2 ports
  CHECK(counts.at("sw2") == std::map<int, int>{{18, 48}}); // 6 * 18 flows out of each group over 2 * 3 ports
}

TEST_CASE("fat tree: adaptive routing makes one cable of those between two levels of a group") {
  const auto adaptive = [](PlatformSpec spec) {
    spec.network.routing.kind = RoutingSpec::Kind::adaptive;
    return spec;
  };
  // 4 leaf switches of 4 nodes, 2 roots: two cables of 1.25 GB/s carry what leaves a leaf switch.
  const auto p = build_platform(adaptive(fat_tree(16, {{4, 1, 1, {}}, {4, 2, 1, {}}})), 0);
  CHECK(p.links().size() == 2 * 16 + 2 * 4);
  CHECK(route(p, 0, 3) == Names{"node0.up", "node3.down"});
  CHECK(route(p, 0, 4) == Names{"node0.up", "sw1-0.up", "sw1-1.down", "node4.down"});
  CHECK(route(p, 0, 5) == Names{"node0.up", "sw1-0.up", "sw1-1.down", "node5.down"});
  CHECK(link_named(p, "node0.up").bandwidth == 1.25e9);
  CHECK(link_named(p, "sw1-0.up").bandwidth == 2 * 1.25e9);
  CHECK(link_named(p, "sw1-3.down").bandwidth == 2 * 1.25e9);
  CHECK(p.cost(0, 5).alpha == Approx(2e-5).epsilon(1e-15));
  // Three levels: each leaf has 2 cables; each group of 2 leaves has 2 switches of 2 parents with 2 cables of 5 GB/s.
  const auto q = build_platform(
      adaptive(fat_tree(8, {{2, 1, 1, {}}, {2, 2, 1, {}}, {2, 2, 2, LinkSpec{ByteRate(5e9), {}, {}, ByteRate(4e9)}}})),
      0);
  CHECK(route(q, 0, 7) == Names{"node0.up", "sw1-0.up", "sw2-0.up", "sw2-1.down", "sw1-3.down", "node7.down"});
  CHECK(link_named(q, "sw1-0.up").bandwidth == 2 * 1.25e9);
  CHECK(link_named(q, "sw2-0.up").bandwidth == 2 * 2 * 2 * 5e9);
  CHECK(link_named(q, "sw2-1.down").bandwidth == 2 * 2 * 2 * 4e9);
  CHECK(errors(adaptive(fat_tree(4, {{4, 1, 2, {}}}))) ==
        Names{"/network/fat_tree/levels/0: with adaptive routing, each NIC has one cable: leave \"up\" and \"cables\" "
              "out"});
  CHECK(
      errors(adaptive(torus(4, {4}))) ==
      Names{"/network/routing: \"adaptive\" needs topology \"fat_tree\" or \"dragonfly\": other networks have a single "
            "shortest route"});
}
