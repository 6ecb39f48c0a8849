#include "support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("torus: dimension order, the short way round") {
  // 4 x 3: place 7 is at (3, 1).
  const auto p = build_platform(torus(12, {4, 3}), 0);
  CHECK(p.links().size() == 2 * 12 + 12 * 4);
  CHECK(route(p, 0, 1) == Names{"node0.up", "router0.dim0+", "node1.down"});
  CHECK(route(p, 1, 0) == Names{"node1.up", "router1.dim0-", "node0.down"});
  CHECK(route(p, 0, 3) == Names{"node0.up", "router0.dim0-", "node3.down"});
  CHECK(route(p, 0, 7) == Names{"node0.up", "router0.dim0-", "router3.dim1+", "node7.down"});
  CHECK(route(p, 7, 0) == Names{"node7.up", "router7.dim0+", "router4.dim1-", "node0.down"});
  CHECK(route(p, 1, 9) == Names{"node1.up", "router1.dim1-", "node9.down"});
  CHECK(p.cost(0, 7).alpha == Approx(2e-5).epsilon(1e-15));
}

TEST_CASE("torus: a tie goes in direction +") {
  const auto p = build_platform(torus(4, {4}), 0);
  CHECK(route(p, 0, 2) == Names{"node0.up", "router0.dim0+", "router1.dim0+", "node2.down"});
  CHECK(route(p, 2, 0) == Names{"node2.up", "router2.dim0+", "router3.dim0+", "node0.down"});
}

TEST_CASE("torus: two routers in a dimension are joined by one cable, one by none") {
  const auto p = build_platform(torus(2, {2, 1}), 0);
  CHECK(p.links().size() == 4 + 2);
  CHECK(route(p, 0, 1) == Names{"node0.up", "router0.dim0+", "node1.down"});
  CHECK(route(p, 1, 0) == Names{"node1.up", "router1.dim0+", "node0.down"});
}

TEST_CASE("torus: routers without a node carry traffic") {
  const auto p = build_platform(torus(3, {5}), 0);
  CHECK(p.links().size() == 2 * 3 + 10);
  CHECK(route(p, 2, 0) == Names{"node2.up", "router2.dim0-", "router1.dim0-", "node0.down"});
  const auto q = build_platform(torus(4, {3, 3}), 0);
  CHECK(route(q, 3, 2) == Names{"node3.up", "router3.dim0-", "router5.dim1-", "node2.down"});
}

TEST_CASE("torus: shaping a node's cable leaves the routers alone") {
  auto spec = torus(3, {3});
  spec.network.link.egress = ByteRate(1e6);
  const auto p = build_platform(spec, 0);
  CHECK(link_named(p, "node1.up").bandwidth == 1e6);
  CHECK(link_named(p, "router1.dim0+").bandwidth == 1.25e9);
}

TEST_CASE("dragonfly: local, global, local") {
  // 3 groups x 2 routers x 2 nodes. Group 0 has global ports to group 1 on router 0, and to 2 on router 1. Group 1 has
  // them to 0 on router 0, and to 2 on router 1. Group 2 has them to 0 on router 0, and to 1 on router 1.
  const auto p = build_platform(dragonfly(12, 3, 2, 2, 1), 0);
  CHECK(p.links().size() == 2 * 12 + 3 * 2 * 1 + 3 * 2 * 1);
  CHECK(route(p, 0, 1) == Names{"node0.up", "node1.down"});
  CHECK(route(p, 0, 2) == Names{"node0.up", "group0.router0-1", "node2.down"});
  CHECK(route(p, 0, 4) == Names{"node0.up", "group0-1.cable0", "node4.down"});
  CHECK(route(p, 0, 10) == Names{"node0.up", "group0.router0-1", "group0-2.cable0", "group2.router0-1", "node10.down"});
  CHECK(route(p, 10, 0) == Names{"node10.up", "group2.router1-0", "group2-0.cable0", "group0.router1-0", "node0.down"});
  CHECK(route(p, 5, 11) == Names{"node5.up", "group1.router0-1", "group1-2.cable0", "node11.down"});
}

TEST_CASE("dragonfly: several cables a pair spread over routers and nodes") {
  // 2 groups, 2 routers, 1 node, 2 cables: cable 0 on router 0 of both, cable 1 on router 1.
  const auto p = build_platform(dragonfly(4, 2, 2, 1, 2), 0);
  CHECK(route(p, 0, 2) == Names{"node0.up", "group0-1.cable0", "node2.down"});
  CHECK(route(p, 1, 3) == Names{"node1.up", "group0-1.cable1", "node3.down"});
  CHECK(route(p, 3, 1) == Names{"node3.up", "group1-0.cable1", "node1.down"});
  CHECK(route(p, 0, 3) == Names{"node0.up", "group0-1.cable0", "group1.router0-1", "node3.down"});
}

TEST_CASE("dragonfly: local and global links of their own") {
  auto spec = dragonfly(4, 2, 2, 1, 1);
  spec.network.dragonfly.local = cable(2e9, 1e-7);
  spec.network.dragonfly.global = cable(3e9, 1e-6);
  const auto p = build_platform(spec, 0);
  CHECK(link_named(p, "group1.router1-0").bandwidth == 2e9);
  CHECK(link_named(p, "group1-0.cable0").latency == 1e-6);
  CHECK(link_named(p, "node3.down").bandwidth == 1.25e9);
}

TEST_CASE("dragonfly: adaptive routing makes one link of parallel cables, and one of a router's links") {
  auto spec = dragonfly(24, 3, 4, 2, 3); // 3 groups of 4 routers of 2 nodes, 3 cables between two groups
  spec.network.routing.kind = RoutingSpec::Kind::adaptive;
  spec.network.dragonfly.local = cable(2e9, 1e-6);
  spec.network.dragonfly.global = cable(4e9, 3e-6);
  const auto p = build_platform(spec, 0);
  CHECK(p.links().size() == 2 * 24 + 2 * 12 + 6);
  CHECK(route(p, 0, 1) == Names{"node0.up", "node1.down"});
  CHECK(route(p, 0, 3) == Names{"node0.up", "group0.router0.out", "group0.router1.in", "node3.down"});
  CHECK(route(p, 0, 23) ==
        Names{"node0.up", "group0.router0.out", "group0-2.cables", "group2.router3.in", "node23.down"});
  CHECK(link_named(p, "group0.router0.out").bandwidth == 3 * 2e9);
  CHECK(link_named(p, "group0-2.cables").bandwidth == 3 * 4e9);
  CHECK(p.cost(0, 3).alpha == Approx(2 * 5e-6 + 1e-6).epsilon(1e-15));
  CHECK(p.cost(0, 23).alpha == Approx(2 * 5e-6 + 2 * 1e-6 + 3e-6).epsilon(1e-15)); // a local hop at each end
  spec = dragonfly(4, 2, 1, 2, 3);
  spec.network.routing.kind = RoutingSpec::Kind::adaptive;
  const auto q = build_platform(spec, 0);
  CHECK(route(q, 0, 2) == Names{"node0.up", "group0-1.cables", "node2.down"});
  CHECK(link_named(q, "group0-1.cables").bandwidth == 3 * 1.25e9);
}
