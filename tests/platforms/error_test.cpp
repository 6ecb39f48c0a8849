#include "support.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("errors: all of them at once, each with its pointer") {
  auto spec = racks(0, 0, 0);
  spec.gpus_per_node = 0;
  spec.message_overhead = Seconds(-1);
  CHECK(errors(spec) == Names{"/nodes: must be at least 1, not 0", "/gpus_per_node: must be at least 1, not 0",
                              "/message_overhead: a latency must be 0 or more, not -1 s"});
  spec = racks(2, 0, 0);
  spec.network.link = cable(0, std::nan(""));
  spec.intra_node.kind = IntraKind::pcie;
  spec.intra_node.gpus_per_switch = -1;
  CHECK(errors(spec) == Names{"/network/link/bandwidth: a bandwidth must be above 0, not 0 B/s",
                              "/network/link/latency: a latency must be 0 or more, not nan s",
                              "/network/racks/nodes_per_rack: must be at least 1, not 0",
                              "/network/racks/oversubscription: must be a finite number above 0, not 0",
                              "/intra_node/link/bandwidth: a bandwidth must be above 0, not 0 B/s",
                              "/intra_node/gpus_per_switch: must be at least 0, not -1"});
}

TEST_CASE("errors: places do not suffice, servers counted") {
  CHECK(errors(torus(12, {4, 3})).empty());
  CHECK(errors(torus(12, {4, 3}), 1) == Names{"/network/torus/dimensions: the platform needs 13 nodes (12 of the "
                                              "platform and 1 extra for servers), but the torus has only 12 places"});
  CHECK(errors(dragonfly(9, 2, 2, 2, 1)) ==
        Names{"/network/dragonfly: the platform needs 9 nodes, but the dragonfly has only 8 places"});
  CHECK(errors(fat_tree(17, {{4, 1, 1, {}}, {4, 2, 1, {}}})) ==
        Names{"/network/fat_tree/levels: the platform needs 17 nodes, but the fat tree has only 16 places"});
}

TEST_CASE("errors: a missing or impossible part of the topology") {
  CHECK(errors(torus(1, {})) == Names{"/network/torus/dimensions: a torus needs at least one dimension"});
  CHECK(errors(torus(1, {2, 0})) == Names{"/network/torus/dimensions/1: must be at least 1, not 0"});
  CHECK(errors(fat_tree(1, {})) == Names{"/network/fat_tree/levels: a fat tree needs at least one level"});
  CHECK(errors(fat_tree(1, {{1, 1, 1, {}}, {0, 0, 0, cable(0, 0)}})) ==
        Names{"/network/fat_tree/levels/1/down: must be at least 1, not 0",
              "/network/fat_tree/levels/1/up: must be at least 1, not 0",
              "/network/fat_tree/levels/1/cables: must be at least 1, not 0",
              "/network/fat_tree/levels/1/link/bandwidth: a bandwidth must be above 0, not 0 B/s"});
  CHECK(errors(dragonfly(1, 0, 1, 1, 0)) == Names{"/network/dragonfly/groups: must be at least 1, not 0",
                                                  "/network/dragonfly/global_cables: must be at least 1, not 0"});
  auto fly = dragonfly(1, 1, 1, 1, 1);
  fly.network.dragonfly.local = cable(1, 1);
  fly.network.dragonfly.local->egress = ByteRate(1);
  REQUIRE(errors(fly).size() == 1);
  CHECK(errors(fly)[0].find("/network/dragonfly/local/egress_bandwidth: ") == 0);
}

TEST_CASE("errors: sizes beyond all bounds are refused, not attempted") {
  CHECK(errors(torus(4, {2000000000, 2000000000, 2000000000})) ==
        Names{"/network/torus/dimensions: too large: at most 67108864 links are possible"});
  CHECK(errors(dragonfly(4, 2000000000, 2000000000, 2000000000, 2000000000)) ==
        Names{"/network/dragonfly: too large: at most 67108864 links are possible"});
  CHECK(errors(fat_tree(4, {{2000000000, 2000000000, 2000000000, {}}, {2, 2000000000, 1, {}}})) ==
        Names{"/network/fat_tree/levels: too large: at most 67108864 links are possible"});
  CHECK(errors(with_gpus(network(Topology::star, 2), 1000000, IntraKind::nvlink)) ==
        Names{"/intra_node: too large: at most 67108864 links are possible"});
  CHECK(errors(with_gpus(network(Topology::star, 2000000000), 2000000000, IntraKind::none)) ==
        Names{"/nodes: the platform has too many GPUs and servers; at most 2000000 are possible"});
}

TEST_CASE("errors: a graph's ends, switches and routes") {
  auto spec = graph(2, {"paris", "rome", "paris", "7", "a->b"},
                    {{"0", "pariss", cable(1, 0)}, {"2", "rome", cable(1, 0)}, {"1", "1", cable(0, 2000)}});
  CHECK(
      errors(spec) ==
      Names{"/network/switches/2: two switches are named \"paris\"",
            "/network/switches/3: \"7\" is not a valid switch name: a name must not be a number and must not contain "
            "\"->\" or \"#\"",
            "/network/switches/4: \"a->b\" is not a valid switch name: a name must not be a number and must not "
            "contain \"->\" or \"#\"",
            "/network/links/0/to: \"pariss\" is neither a node number nor one of the switches; did you mean \"paris\"?",
            "/network/links/1/from: node 2 does not exist: 2 nodes are numbered from 0",
            "/network/links/2/bandwidth: a bandwidth must be above 0, not 0 B/s",
            "/network/links/2/latency: a graph supports latencies up to 1000 s",
            "/network/links/2/to: a link must connect two different ends"});
  spec = graph(4, {"s"}, {{"0", "s", cable(1, 0)}, {"1", "s", cable(1, 0), true}});
  CHECK(errors(spec) == Names{"/network/links: no route from node 0 to node 1 (nor 2 others)",
                              "/network/links: no route from node 2 to node 0 (nor 1 others)"});
  CHECK(errors(graph(2, {}, {{"0", "1", cable(1, 0)}}), 1) ==
        Names{"/network/links: no route from node 0 to node 2; the links must join 3 nodes (2 of the platform and 1 "
              "extra for servers)",
              "/network/links: no route from node 2 to node 0; the links must join 3 nodes (2 of the platform and 1 "
              "extra for servers)"});
  CHECK(errors(graph(1, {}, {})).empty());
}

TEST_CASE("errors: overrides that fit nothing") {
  auto spec = network(Topology::star, 2);
  NodeOverride node;
  node.nodes = {1, 3};
  node.compute_speed = 0.0;
  node.ingress = ByteRate(-1);
  node.entry = 4;
  spec.node_overrides = {node};
  spec.link_overrides = {{"node1.uo", {}, {}, 5}, {"node1.up", ByteRate(0), Seconds(-1), 6}};
  CHECK(errors(spec, 1) == Names{"/overrides/4/compute_speed: a compute speed must be above 0, not 0",
                                 "/overrides/4/ingress_bandwidth: a bandwidth must be above 0, not -1 B/s",
                                 "/overrides/4/nodes: node 3 does not exist: 3 nodes (2 of the platform and 1 extra "
                                 "for servers) are numbered from 0",
                                 "/overrides/5/link: unknown link \"node1.uo\"; did you mean \"node1.up\"?",
                                 "/overrides/6/bandwidth: a bandwidth must be above 0, not 0 B/s",
                                 "/overrides/6/latency: a latency must be 0 or more, not -1 s"});
  auto wan = graph(2, {}, {{"0", "1", cable(1, 0)}});
  NodeOverride nic;
  nic.nodes = {1};
  nic.latency = Seconds(1);
  wan.node_overrides = {nic};
  REQUIRE(errors(wan).size() == 1);
  CHECK(errors(wan)[0].find("/overrides/0: nodes of a graph have no NIC cable") == 0);
  wan.node_overrides[0].latency.reset();
  wan.node_overrides[0].compute_speed = 2;
  CHECK(errors(wan).empty());
}

TEST_CASE("errors: an NVLink cable has no up and down") {
  auto spec = with_gpus(network(Topology::star, 2), 2, IntraKind::nvlink);
  spec.intra_node.link.ingress = ByteRate(1);
  REQUIRE(errors(spec).size() == 1);
  CHECK(errors(spec)[0].find("/intra_node/link/ingress_bandwidth: ") == 0);
}

TEST_CASE("errors: one who only knows std::exception is told all of them, too") {
  auto spec = racks(0, 0, 0);
  spec.message_overhead = Seconds(-1);
  CHECK_THROWS_WITH(build_platform(spec, 0),
                    "/nodes: must be at least 1, not 0; /message_overhead: a latency must be 0 or more, not -1 s");
}
