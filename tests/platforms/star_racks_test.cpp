#include "support.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("star: two links, one up and one down") {
  const auto p = build_platform(network(Topology::star, 4), 0);
  CHECK(p.links().size() == 8);
  CHECK(route(p, 0, 3) == Names{"node0.up", "node3.down"});
  CHECK(route(p, 3, 0) == Names{"node3.up", "node0.down"});
  CHECK(route(p, 2, 2).empty());
  CHECK(p.cost(0, 3).alpha == 1e-5);
  CHECK(p.cost(0, 3).bandwidth == 1.25e9);
  CHECK(p.cost(1, 1).bandwidth == std::numeric_limits<double>::infinity());
}

TEST_CASE("star: the message overhead is part of alpha") {
  auto spec = network(Topology::star, 2);
  spec.message_overhead = Seconds(3e-6);
  const auto p = build_platform(spec, 0);
  CHECK(p.cost(0, 1).alpha == Approx(1.3e-5).epsilon(1e-15));
  CHECK(p.message_overhead() == 3e-6);
}

TEST_CASE("star: servers are nodes after the platform's own") {
  const auto p = build_platform(with_gpus(network(Topology::star, 2), 2, IntraKind::none), 1);
  REQUIRE(p.places().size() == 5);
  CHECK(p.gpu_places() == 4);
  CHECK(p.places()[3].node == 1);
  CHECK(p.places()[3].gpu == 1);
  CHECK(p.places()[4].node == 2);
  CHECK(p.places()[4].gpu == -1);
  CHECK(route(p, 3, 4) == Names{"node1.up", "node2.down"});
  CHECK(route(p, 2, 3).empty());
}

TEST_CASE("star: one node, no company") {
  const auto p = build_platform(network(Topology::star, 1), 0);
  CHECK(p.places().size() == 1);
  CHECK(p.links().size() == 2);
  CHECK(route(p, 0, 0).empty());
}

TEST_CASE("star: a million places keep their numbers") {
  const auto p = build_platform(network(Topology::star, 1'000'000), 0);
  CHECK(p.links().size() == 2'000'000);
  CHECK(route(p, 999'999, 1) == Names{"node999999.up", "node1.down"});
}

TEST_CASE("star: one direction of the cable shaped") {
  auto spec = network(Topology::star, 2);
  spec.network.link.egress = ByteRate(1.25e6);
  const auto p = build_platform(spec, 0);
  CHECK(link_named(p, "node0.up").bandwidth == 1.25e6);
  CHECK(link_named(p, "node0.down").bandwidth == 1.25e9);
  CHECK(p.cost(0, 1).bandwidth == 1.25e6);
}

TEST_CASE("racks: the uplink is crossed between racks only") {
  const auto p = build_platform(racks(5, 2, 4), 0);
  CHECK(p.links().size() == 2 * 5 + 2 * 3);
  CHECK(route(p, 0, 1) == Names{"node0.up", "node1.down"});
  CHECK(route(p, 0, 4) == Names{"node0.up", "rack0.up", "rack2.down", "node4.down"});
  CHECK(route(p, 4, 0) == Names{"node4.up", "rack2.up", "rack0.down", "node0.down"});
  CHECK(link_named(p, "rack1.up").bandwidth == 2 * 1.25e9 / 4);
  CHECK(link_named(p, "rack1.down").bandwidth == 2 * 1.25e9 / 4);
  CHECK(p.cost(0, 4).alpha == Approx(2e-5).epsilon(1e-15));
}

TEST_CASE("racks: a given uplink, and a shaped node cable that does not shape it") {
  auto spec = racks(4, 2, 2);
  spec.network.link.egress = ByteRate(1e6);
  CHECK(link_named(build_platform(spec, 0), "rack0.up").bandwidth == 1.25e9);
  spec.network.racks.uplink = cable(5e9, 7e-6);
  spec.network.racks.uplink->ingress = ByteRate(4e9);
  const auto p = build_platform(spec, 0);
  CHECK(link_named(p, "rack0.up").bandwidth == 5e9);
  CHECK(link_named(p, "rack0.down").bandwidth == 4e9);
  CHECK(link_named(p, "rack0.down").latency == 7e-6);
}

TEST_CASE("a cable given in another's place without a latency has that one's") {
  const LinkSpec wide{ByteRate(5e9), {}, {}, {}};
  auto spec = racks(4, 2, 2);
  spec.network.racks.uplink = wide;
  CHECK(link_named(build_platform(spec, 0), "rack1.up").latency == 5e-6);
  CHECK(link_named(build_platform(spec, 0), "rack1.up").bandwidth == 5e9);
  auto tree = fat_tree(4, {{2, 1, 1, {}}, {2, 1, 1, wide}});
  CHECK(link_named(build_platform(tree, 0), "sw1-0.up").latency == 5e-6);
  auto fly = dragonfly(4, 2, 2, 1, 1);
  fly.network.dragonfly.local = wide;
  fly.network.dragonfly.global = cable(1e9, 1e-6);
  CHECK(link_named(build_platform(fly, 0), "group0.router0-1").latency == 5e-6);
  CHECK(link_named(build_platform(fly, 0), "group0-1.cable0").latency == 1e-6);
  auto node = with_gpus(network(Topology::star, 2), 2, IntraKind::nvlink);
  node.intra_node.uplink = wide;
  CHECK(link_named(build_platform(node, 0), "node0.gpu1.up").latency == 1e-6);
  spec.network.link.latency.reset(); // the standard link has no latency either
  CHECK(link_named(build_platform(spec, 0), "rack1.up").latency == 0);
}

TEST_CASE("racks: servers fill the last rack, then open another") {
  const auto p = build_platform(racks(3, 2, 1), 2);
  CHECK(route(p, 2, 3) == Names{"node2.up", "node3.down"});
  CHECK(route(p, 2, 4) == Names{"node2.up", "rack1.up", "rack2.down", "node4.down"});
}
