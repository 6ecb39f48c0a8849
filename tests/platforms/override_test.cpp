#include "support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {
NodeOverride on(std::vector<int> nodes) {
  NodeOverride o;
  o.nodes = std::move(nodes);
  return o;
}
} // namespace

TEST_CASE("overrides: a slow node, and only it") {
  auto spec = with_gpus(network(Topology::star, 3), 2, IntraKind::none);
  spec.reduce_bandwidth = ByteRate(10e9);
  auto slow = on({1});
  slow.compute_speed = 0.5;
  slow.reduce_bandwidth = ByteRate(1e9);
  slow.bandwidth = ByteRate(125e6);
  slow.latency = Seconds(1e-3);
  spec.node_overrides = {slow};
  const auto p = build_platform(spec, 1);
  for (const int place : {0, 1, 4, 5, 6}) {
    CHECK(p.place(place).compute_speed == 1);
    CHECK(p.place(place).reduce_bandwidth == 10e9);
  }
  for (const std::size_t place : {2u, 3u}) {
    CHECK(p.places()[place].compute_speed == 0.5);
    CHECK(p.places()[place].reduce_bandwidth == 1e9);
  }
  CHECK(link_named(p, "node1.up").bandwidth == 125e6);
  CHECK(link_named(p, "node1.down").latency == 1e-3);
  CHECK(link_named(p, "node0.up").bandwidth == 1.25e9);
  CHECK(link_named(p, "node2.down").latency == 5e-6);
}

TEST_CASE("overrides: the server, by its number, in one direction") {
  auto spec = network(Topology::star, 2);
  auto server = on({2});
  server.egress = ByteRate(1e6);
  spec.node_overrides = {server};
  const auto p = build_platform(spec, 1);
  CHECK(link_named(p, "node2.up").bandwidth == 1e6);
  CHECK(link_named(p, "node2.down").bandwidth == 1.25e9);
  server.bandwidth = ByteRate(2e6);
  spec.node_overrides = {server};
  CHECK(link_named(build_platform(spec, 1), "node2.down").bandwidth == 2e6);
  CHECK(link_named(build_platform(spec, 1), "node2.up").bandwidth == 1e6);
}

TEST_CASE("overrides: later ones win, links after nodes") {
  auto spec = network(Topology::star, 3);
  auto all = on({0, 1, 2}), one = on({1});
  all.bandwidth = ByteRate(1e6);
  one.bandwidth = ByteRate(2e6);
  spec.node_overrides = {all, one};
  spec.link_overrides = {{"node1.down", ByteRate(3e6), Seconds(1), 2}};
  const auto p = build_platform(spec, 0);
  CHECK(link_named(p, "node0.up").bandwidth == 1e6);
  CHECK(link_named(p, "node1.up").bandwidth == 2e6);
  CHECK(link_named(p, "node1.down").bandwidth == 3e6);
  CHECK(link_named(p, "node1.down").latency == 1);
  CHECK(link_named(p, "node1.up").latency == 5e-6);
}

TEST_CASE("overrides: every cable of a node with two") {
  auto spec = fat_tree(3, {{4, 1, 2, {}}});
  auto slow = on({1});
  slow.bandwidth = ByteRate(1e6);
  spec.node_overrides = {slow};
  const auto p = build_platform(spec, 0);
  for (const auto* name : {"node1.up0", "node1.down0", "node1.up1", "node1.down1"})
    CHECK(link_named(p, name).bandwidth == 1e6);
  for (const auto* name : {"node0.up1", "node0.down1", "node2.up0", "node2.down0"})
    CHECK(link_named(p, name).bandwidth == 1.25e9);
}

TEST_CASE("overrides: any link by its name, within a node too") {
  auto spec = with_gpus(network(Topology::star, 2), 2, IntraKind::pcie);
  spec.link_overrides = {{"node1.pcie0.up", ByteRate(1e6), {}, 0}};
  CHECK(build_platform(spec, 0).cost(2, 0).bandwidth == 1e6);
  CHECK(build_platform(spec, 0).cost(0, 2).bandwidth == 1.25e9);
}
