#include "support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("pcie: GPUs of a switch turn round there, others cross the root") {
  const auto p = build_platform(with_gpus(network(Topology::star, 2), 5, IntraKind::pcie, 2), 1);
  CHECK(p.links().size() == 2 * 3 + 2 * (2 * 5 + 2 * 3));
  CHECK(route(p, 0, 1) == Names{"node0.gpu0.up", "node0.gpu1.down"});
  CHECK(route(p, 0, 4) == Names{"node0.gpu0.up", "node0.pcie0.up", "node0.pcie2.down", "node0.gpu4.down"});
  CHECK(route(p, 8, 2) ==
        Names{"node1.gpu3.up", "node1.pcie1.up", "node1.up", "node0.down", "node0.pcie1.down", "node0.gpu2.down"});
  CHECK(route(p, 10, 9) == Names{"node2.up", "node1.down", "node1.pcie2.down", "node1.gpu4.down"});
  CHECK(route(p, 9, 10) == Names{"node1.gpu4.up", "node1.pcie2.up", "node1.up", "node2.down"});
}

TEST_CASE("pcie: all GPUs on one switch unless told: its uplink is as the GPU's link unless given") {
  auto spec = with_gpus(network(Topology::star, 2), 3, IntraKind::pcie);
  const auto p = build_platform(spec, 0);
  CHECK(p.links().size() == 2 * 2 + 2 * (2 * 3 + 2));
  CHECK(route(p, 0, 2) == Names{"node0.gpu0.up", "node0.gpu2.down"});
  CHECK(link_named(p, "node0.pcie0.up").bandwidth == 12e9);
  spec.intra_node.uplink = cable(6e9, 4e-6);
  const auto q = build_platform(spec, 0);
  CHECK(link_named(q, "node1.pcie0.down").bandwidth == 6e9);
  CHECK(q.cost(0, 3).alpha == Approx(2 * (1e-6 + 4e-6 + 5e-6)).epsilon(1e-15));
  CHECK(q.cost(0, 3).bandwidth == 1.25e9);
}

TEST_CASE("pcie: a single GPU a node still has its way to the NIC") {
  const auto p = build_platform(with_gpus(network(Topology::star, 2), 1, IntraKind::pcie), 1);
  CHECK(route(p, 0, 1) ==
        Names{"node0.gpu0.up", "node0.pcie0.up", "node0.up", "node1.down", "node1.pcie0.down", "node1.gpu0.down"});
  CHECK(route(p, 0, 2) == Names{"node0.gpu0.up", "node0.pcie0.up", "node0.up", "node2.down"});
}

TEST_CASE("nvlink: a cable for each ordered pair") {
  const auto p = build_platform(with_gpus(network(Topology::star, 2), 3, IntraKind::nvlink), 0);
  CHECK(p.links().size() == 2 * 2 + 2 * 3 * 2);
  CHECK(route(p, 0, 1) == Names{"node0.nvlink0-1"});
  CHECK(route(p, 2, 1) == Names{"node0.nvlink2-1"});
  CHECK(route(p, 5, 3) == Names{"node1.nvlink2-0"});
  CHECK(route(p, 2, 3) == Names{"node0.up", "node1.down"});
}

TEST_CASE("nvlink: with a PCIe way of its own to the NIC") {
  const auto p = build_platform(with_gpus(network(Topology::star, 2), 3, IntraKind::nvlink, 0, true), 0);
  CHECK(p.links().size() == 2 * 2 + 2 * (3 * 2 + 2 * 3));
  CHECK(route(p, 4, 5) == Names{"node1.nvlink1-2"});
  CHECK(route(p, 2, 3) == Names{"node0.gpu2.up", "node0.up", "node1.down", "node1.gpu0.down"});
  CHECK(link_named(p, "node0.gpu2.up").bandwidth == 10e9);
}

TEST_CASE("none: GPUs of a node exchange for free and share the NIC") {
  const auto p = build_platform(with_gpus(racks(4, 2, 2), 2, IntraKind::none), 0);
  CHECK(p.links().size() == 2 * 4 + 2 * 2);
  CHECK(route(p, 0, 1).empty());
  CHECK(route(p, 1, 7) == Names{"node0.up", "rack0.up", "rack1.down", "node3.down"});
}

TEST_CASE("routes of common platforms need no memory of their own") {
  Route links;
  const auto inline_room = links.capacity();
  const auto p = build_platform(
      with_gpus(fat_tree(1024, {{16, 1, 1, {}}, {8, 8, 1, {}}, {8, 8, 1, {}}}), 8, IntraKind::pcie, 4), 0);
  p.route(0, 8191, links);
  CHECK(links.size() == 10);
  CHECK(links.capacity() == inline_room);
}
