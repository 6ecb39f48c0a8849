// Machines: routes inside nodes and between their NICs, rates of links, rails, and switches that reduce.
#include "platforms/code/node_shape.hpp"
#include "tests/platforms/support.hpp"
#include "tests/support/gpu_types.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Returns machines with `gpus` GPUs of a type, and NICs of 25 GB/s and 1 us.
PlatformSpec machines_of(int nodes, int gpus, const char* gpu, NodeFabric intra, int nics) {
  auto spec = network(Topology::star, nodes);
  spec.gpus_per_node = gpus;
  NodeSpec node;
  node.gpus = gpus;
  node.gpu = gpu_named(gpu);
  node.intra = intra;
  node.link.latency = Seconds(0.5e-6);
  node.pcie.latency = Seconds(0.3e-6);
  node.nics = nics;
  node.nic = cable(25e9, 1e-6);
  spec.node = node;
  return spec;
}

PlatformSpec dgx_nodes(int nodes, bool rails = false) {
  auto spec = machines_of(nodes, 8, "A100", NodeFabric::nvswitch, 4);
  spec.node->sockets = 2;
  spec.node->gpus_per_switch = 2;
  spec.node->socket_link = NodeLink{ByteRate(60e9), Seconds(0.1e-6), {}};
  spec.node->rails = rails;
  return spec;
}

} // namespace

TEST_CASE("NVSwitch: two links between GPUs, and a NIC of its own for each pair of GPUs") {
  const auto platform = build_platform(dgx_nodes(3), 1);
  CHECK(platform.gpu_places() == 24);
  CHECK(platform.nodes() == 4);
  CHECK(platform.nics_per_node() == 4);
  CHECK(route(platform, 1, 6) == Names{"node0.gpu1.nvlink.up", "node0.gpu6.nvlink.down"});
  CHECK(route(platform, 1, 8) == Names{"node0.gpu1.up", "node0.nic0.up", "node1.nic0.down", "node1.gpu0.down"});
  CHECK(route(platform, 5, 23) == Names{"node0.gpu5.up", "node0.nic2.up", "node2.nic3.down", "node2.gpu7.down"});
  CHECK(route(platform, 24, 17) == Names{"node3.nic0.up", "node2.nic0.down", "node2.gpu1.down"});
  CHECK(platform.cost(1, 6).bandwidth == Approx(12 * 20e9).epsilon(1e-12));
  CHECK(platform.cost(1, 6).alpha == Approx(1e-6).epsilon(1e-12));
  CHECK(platform.cost(1, 8).alpha == Approx(2.6e-6).epsilon(1e-12));
  CHECK(platform.nic(5, 23) == 2);
  CHECK(platform.nic(23, 5) == 3);
  // 16 lanes of generation 4, in packets of 128 bytes of data and 24 more.
  CHECK(link_named(platform, "node0.gpu0.up").bandwidth ==
        Approx(16e9 * 128 / 130 * 16 / 8 * 128 / 152).epsilon(1e-12));
  // Every link of the NICs belongs to the network; links inside nodes have no protocol overhead.
  CHECK(platform.link(static_cast<std::int32_t>(platform.network_links()) - 1).name == "node3.nic0.down");
}

TEST_CASE("a message goes by the NICs that it asks for, through the node to them, where its GPUs reach them") {
  const auto platform = build_platform(dgx_nodes(3), 1);
  const auto by = [&](int from, int to, NicPair nics) {
    Route links;
    platform.route(from, to, links, nics);
    Names names;
    for (const auto link : links) names.push_back(platform.link(link).name);
    return names;
  };
  CHECK(by(1, 8, {3, 1}) == Names{"node0.gpu1.up", "node0.pcie0.up", "node0.socket0-1", "node0.pcie3.down",
                                  "node0.nic3.up", "node1.nic1.down", "node1.pcie1.up", "node1.pcie0.down",
                                  "node1.gpu0.down"});
  CHECK(by(1, 8, {any_nic, 0}) == route(platform, 1, 8));
  CHECK(by(1, 8, {4, 0}) == route(platform, 1, 8));     // the node has NICs 0 to 3
  CHECK(by(1, 6, {3, 3}) == route(platform, 1, 6));     // both GPUs are in one node
  CHECK(by(24, 17, {3, 0}) == route(platform, 24, 17)); // a host has one NIC
  auto apart = machines_of(2, 2, "A100", NodeFabric::nvswitch, 2);
  apart.node->sockets = 2; // connected only by the switch: a GPU does not reach the other socket's NIC
  const auto islands = build_platform(apart, 0);
  Route own, other;
  islands.route(0, 2, own);
  islands.route(0, 2, other, {1, 1});
  CHECK(other == own);
}

TEST_CASE("A NIC whose directions share a rate has a link for both") {
  auto spec = machines_of(2, 2, "A100", NodeFabric::pcie, 1);
  spec.node->nic_total = ByteRate(30e9);
  const auto platform = build_platform(spec, 0);
  CHECK(route(platform, 0, 3) == Names{"node0.gpu0.up", "node0.nic0.both", "node0.nic0.up", "node1.nic0.down",
                                       "node1.nic0.both", "node1.gpu1.down"});
  CHECK(link_named(platform, "node0.nic0.both").bandwidth == 30e9);
  CHECK(platform.cost(0, 3).alpha ==
        build_platform(machines_of(2, 2, "A100", NodeFabric::pcie, 1), 0).cost(0, 3).alpha);
  spec.node->nic_total = ByteRate(50e9); // both cables at full rate: no limit, and no link for it
  CHECK(route(build_platform(spec, 0), 0, 3) ==
        Names{"node0.gpu0.up", "node0.nic0.up", "node1.nic0.down", "node1.gpu1.down"});
  spec.node->nic_total = ByteRate(0);
  CHECK(errors(spec) == std::vector<std::string>{"/node/nic_total_bandwidth: a bandwidth must be above 0, not 0 B/s"});
}

TEST_CASE("Overrides of nodes change all their NICs") {
  auto spec = dgx_nodes(2);
  spec.node_overrides = {{.nodes = {1}, .bandwidth = ByteRate(5e9)}};
  const auto platform = build_platform(spec, 0);
  for (const char* nic : {"node1.nic0.up", "node1.nic3.down"}) CHECK(link_named(platform, nic).bandwidth == 5e9);
  CHECK(link_named(platform, "node0.nic3.up").bandwidth == 25e9);
}

TEST_CASE("The cube mesh has the DGX-1's links, six a GPU, and PCIe where there is none") {
  auto spec = machines_of(1, 8, "V100", NodeFabric::cube_mesh, 4);
  spec.node->sockets = 2;
  spec.node->gpus_per_switch = 2;
  spec.node->socket_link = NodeLink{ByteRate(30e9), Seconds(), {}};
  const auto platform = build_platform(spec, 0);
  for (int g = 0; g < 8; ++g) {
    double rate = 0;
    for (int other = 0; other < 8; ++other)
      if (const auto way = route(platform, g, other); way.size() == 1) rate += platform.cost(g, other).bandwidth;
    CHECK(rate == Approx(6 * 22.6e9).epsilon(1e-12));
  }
  CHECK(route(platform, 0, 3) == Names{"node0.nvlink0-3"});
  CHECK(platform.cost(0, 3).bandwidth == Approx(2 * 22.6e9));
  CHECK(platform.cost(0, 1).bandwidth == Approx(22.6e9));
  CHECK(route(platform, 0, 5) ==
        Names{"node0.gpu0.up", "node0.pcie0.up", "node0.socket0-1", "node0.pcie2.down", "node0.gpu5.down"});
  spec.node->gpu = gpu_named("P100");
  CHECK(build_platform(spec, 0).cost(0, 3).bandwidth == Approx(18e9));
}

TEST_CASE("A mesh gives each pair an equal share of the links, or what pairs say") {
  auto spec = machines_of(1, 4, "A100", NodeFabric::nvlink_mesh, 1);
  CHECK(build_platform(spec, 0).cost(0, 3).bandwidth == Approx(4 * 20e9).epsilon(1e-12));
  spec.node->pairs = {{0, 1, 12}, {2, 3, 12}};
  const auto bridged = build_platform(spec, 0);
  CHECK(route(bridged, 1, 0) == Names{"node0.nvlink1-0"});
  CHECK(route(bridged, 1, 2) == Names{"node0.gpu1.up", "node0.gpu2.down"});
  auto amd = machines_of(1, 8, "MI300X", NodeFabric::xgmi_mesh, 8);
  CHECK(route(build_platform(amd, 0), 2, 7) == Names{"node0.xgmi2-7"});
  CHECK(build_platform(amd, 0).cost(2, 7).bandwidth == Approx(48e9));
}

TEST_CASE("PCIe: switches, sockets, copies through host memory") {
  auto spec = machines_of(2, 4, "V100", NodeFabric::pcie, 1);
  spec.node->sockets = 2;
  spec.node->gpus_per_switch = 2;
  spec.node->socket_link = NodeLink{ByteRate(20e9), Seconds(), {}};
  auto platform = build_platform(spec, 0);
  CHECK(route(platform, 0, 1) == Names{"node0.gpu0.up", "node0.gpu1.down"});
  CHECK(route(platform, 3, 4) == Names{"node0.gpu3.up", "node0.pcie1.up", "node0.socket1-0", "node0.pcie0.down",
                                       "node0.nic0.up", "node1.nic0.down", "node1.gpu0.down"});
  CHECK(platform.cost(0, 1).bandwidth == Approx(8e9 * 128 / 130 * 16 / 8 * 128 / 152).epsilon(1e-12));
  spec.node->gpudirect = spec.node->peer_to_peer = false;
  spec.node->host_memory.bandwidth = ByteRate(50e9);
  platform = build_platform(spec, 0);
  CHECK(route(platform, 0, 1) ==
        Names{"node0.gpu0.up", "node0.pcie0.up", "node0.socket0.memory", "node0.pcie0.down", "node0.gpu1.down"});
  CHECK(route(platform, 0, 4) == Names{"node0.gpu0.up", "node0.pcie0.up", "node0.socket0.memory", "node0.pcie0.down",
                                       "node0.nic0.up", "node1.nic0.down", "node1.pcie0.up", "node1.socket0.memory",
                                       "node1.pcie0.down", "node1.gpu0.down"});
}

TEST_CASE("GPUs share NICs, or spread over theirs by the sum of both ends") {
  const auto shared = build_platform(machines_of(2, 8, "A100", NodeFabric::nvswitch, 3), 0);
  std::vector<int> users(3);
  for (int g = 0; g < 8; ++g) ++users[static_cast<std::size_t>(shared.nics_of(g).at(0))];
  CHECK(users == std::vector{3, 3, 2});
  const auto spread = build_platform(machines_of(2, 2, "A100", NodeFabric::nvswitch, 5), 0);
  CHECK(spread.nics_of(0) == std::vector{0, 1, 2});
  CHECK(spread.nics_of(1) == std::vector{3, 4});
  std::set<int> used;
  for (int to : {2, 3}) used.insert(spread.nic(0, to));
  CHECK(used.size() == 2);
  auto listed = machines_of(2, 2, "A100", NodeFabric::nvswitch, 2);
  listed.node->near = {{1}, {0}};
  CHECK(route(build_platform(listed, 0), 0, 3) ==
        Names{"node0.gpu0.up", "node0.nic1.up", "node1.nic0.down", "node1.gpu1.down"});
}

TEST_CASE("Rails: a switch for each NIC: only messages between rails cross the spine") {
  const auto star = build_platform(dgx_nodes(4, true), 0);
  CHECK(route(star, 0, 9) == Names{"node0.gpu0.up", "node0.nic0.up", "node1.nic0.down", "node1.gpu1.down"});
  CHECK(route(star, 0, 10) ==
        Names{"node0.gpu0.up", "node0.nic0.up", "rail0.up", "rail1.down", "node1.nic1.down", "node1.gpu2.down"});
  CHECK(link_named(star, "rail3.up").bandwidth == 4 * 25e9);
  auto racked = dgx_nodes(4, true);
  racked.network.topology = Topology::racks;
  racked.network.racks = {2, 2.0, {}};
  const auto racks_of_two = build_platform(racked, 0);
  CHECK(route(racks_of_two, 0, 8).size() == 4);
  CHECK(route(racks_of_two, 0, 16) == Names{"node0.gpu0.up", "node0.nic0.up", "rack0.rail0.up", "rack1.rail0.down",
                                            "node2.nic0.down", "node2.gpu0.down"});
  CHECK(link_named(racks_of_two, "rack0.rail0.up").bandwidth == 25e9);
}

TEST_CASE("Rails of a fat tree: a leaf switch holds one rail of its group's nodes") {
  auto spec = dgx_nodes(6, true);
  spec.network.topology = Topology::fat_tree;
  spec.network.fat_tree = {{.down = 4}, {.down = 9, .up = 4}};
  const auto platform = build_platform(spec, 1);
  for (int rail = 0; rail < 4; ++rail) {
    CHECK(route(platform, 2 * rail, 8 * 3 + 2 * rail).size() == 4);             // same group, same rail: the leaf
    CHECK(route(platform, 2 * rail, 8 * 4 + 2 * rail).size() == 6);             // another group: through a root
    CHECK(route(platform, 2 * rail, 8 * 3 + 2 * ((rail + 1) % 4)).size() == 6); // another rail
  }
  CHECK(route(platform, 48, 0).front() == "node6.nic0.up");
  spec.network.fat_tree = {{.down = 24}, {.down = 2}};
  CHECK(errors(spec).front() == "/node/rails: 4 rails need a leaf switch each, but the fat tree has 2");
  spec.network = network(Topology::torus, 6).network;
  spec.network.torus = {6};
  CHECK(errors(spec) == Names{"/node/rails: rails need topology star, racks or fat_tree"});
}

TEST_CASE("Every topology joins the NICs: routes end where they should") {
  std::vector<PlatformSpec> specs(4, dgx_nodes(6));
  specs[0].network.topology = Topology::racks;
  specs[0].network.racks = {2, 1.0, {}};
  specs[1].network.topology = Topology::fat_tree;
  specs[1].network.fat_tree = {{.down = 8}, {.down = 4, .up = 2}};
  specs[2].network.topology = Topology::torus;
  specs[2].network.torus = {3, 3};
  specs[3].network.topology = Topology::dragonfly;
  specs[3].network.dragonfly = {3, 2, 2, 2, {}, {}};
  for (const auto& spec : specs) {
    const auto platform = build_platform(spec, 1);
    for (int from = 0; from < 49; ++from)
      for (int to = 0; to < 49; ++to) {
        const Place &a = platform.place(from), &b = platform.place(to);
        if (a.node == b.node) continue;
        const auto way = route(platform, from, to);
        const auto end = [&](const Place& p, int nic, const char* direction) {
          return "node" + std::to_string(p.node) + ".nic" + std::to_string(nic) + direction;
        };
        const std::size_t first = a.gpu < 0 ? 0 : 1, last = way.size() - (b.gpu < 0 ? 1 : 2);
        REQUIRE(way[first] == end(a, platform.nic(from, to), ".up"));
        REQUIRE(way[last] == end(b, platform.nic(to, from), ".down"));
        REQUIRE(std::set<std::string>(way.begin(), way.end()).size() == way.size());
      }
  }
}

TEST_CASE("A graph's ends are NICs behind their cables") {
  auto spec = machines_of(2, 2, "A100", NodeFabric::nvswitch, 2);
  spec.network.topology = Topology::graph;
  spec.network.switches = {"a", "b"};
  const auto fast = cable(100e9, 1e-6);
  spec.network.edges = {
      {"0.0", "a", fast}, {"1.0", "a", fast}, {"0.1", "b", fast}, {"1.1", "b", fast}, {"a", "b", fast}};
  CHECK(route(build_platform(spec, 0), 0, 2) ==
        Names{"node0.gpu0.up", "node0.nic0.up", "0.0->a", "a->1.0", "node1.nic0.down", "node1.gpu0.down"});
  spec.network.edges.pop_back();
  CHECK(errors(spec).front().starts_with("/network/links: no route from NIC 0 of node 0 to NIC 1 of node 0"));
  spec.network.edges = {{"0", "a", fast}, {"0.2", "a", fast}, {"2.0", "b", fast}};
  CHECK(errors(spec) == Names{"/network/links/0/from: node 0 has 2 NICs: name one of them, as in \"0.0\"",
                              "/network/links/1/from: NIC 2 does not exist: the 2 NICs of node 0 are numbered from 0",
                              "/network/links/2/from: node 2 does not exist: 2 nodes are numbered from 0"});
}

TEST_CASE("Switches that reduce are places, reached by the way up and left by the way down") {
  auto spec = dgx_nodes(2);
  CHECK_FALSE(build_platform(spec, 0).nvswitch_place(0));
  CHECK_FALSE(build_platform(spec, 0).network_switch_place());
  spec.node->nvls = spec.node->sharp = true;
  spec.node->gpu.generation = GpuGeneration::hopper;
  const auto platform = build_platform(spec, 1);
  REQUIRE(platform.places().size() == 16 + 1 + 2 + 1);
  CHECK(platform.nodes() == 3);
  const int inner = platform.nvswitch_place(1).value(), outer = platform.network_switch_place().value();
  CHECK(inner == 18);
  CHECK(outer == 19);
  CHECK(route(platform, 9, inner) == Names{"node1.gpu1.nvlink.up"});
  CHECK(route(platform, inner, 9) == Names{"node1.gpu1.nvlink.down"});
  CHECK(route(platform, 9, outer) == Names{"node1.gpu1.up", "node1.nic0.up"});
  CHECK(route(platform, outer, 9) == Names{"node1.nic0.down", "node1.gpu1.down"});
  CHECK_THROWS_AS(route(platform, 0, inner), std::invalid_argument);
  CHECK_FALSE(platform.network_switch_place(1));
  spec.node->rails = true;
  const auto rails = build_platform(spec, 0);
  CHECK(route(rails, 0, rails.network_switch_place(2).value()) ==
        Names{"node0.gpu0.up", "node0.nic0.up", "rail0.up", "rail2.down"});
  CHECK(route(rails, 4, rails.network_switch_place(2).value()) == Names{"node0.gpu4.up", "node0.nic2.up"});
}

TEST_CASE("GPUs are at the sockets that gpu_sockets names") {
  auto spec = dgx_nodes(1);
  spec.node->gpu_sockets = {0, 0, 1, 1, 0, 0, 1, 1};
  std::vector<int> found;
  for (const Seat& seat : gpu_seats(*spec.node)) found.push_back(seat.socket);
  CHECK(found == spec.node->gpu_sockets);
  spec.node->intra = NodeFabric::pcie;
  const auto p = build_platform(spec, 0);
  const auto crosses = [&](int from, int to) {
    const Names names = route(p, from, to);
    return std::ranges::any_of(names, [](const std::string& n) { return n.find("socket0-1") != std::string::npos; });
  };
  CHECK_FALSE(crosses(0, 4));
  CHECK(crosses(0, 2));
  spec.node->gpu_sockets = {0, 1, 1, 1, 0, 0, 2, 2};
  CHECK(errors(spec) == Names{"/node/gpu_sockets/1: GPUs 0 and 1 have one PCIe switch, but the sockets 0 and 1",
                              "/node/gpu_sockets/6: socket 2 does not exist: the 2 of a node are numbered from 0",
                              "/node/gpu_sockets/7: socket 2 does not exist: the 2 of a node are numbered from 0"});
  spec.node->gpu_sockets = {0};
  CHECK(errors(spec) == Names{"/node/gpu_sockets: 1 entries for 8 GPUs; expected one per GPU"});
}

TEST_CASE("Machines that cannot be are refused with the reason") {
  auto spec = dgx_nodes(2);
  spec.node->near = {{0}, {0}, {1}, {1}, {2}, {2}, {2}, {}};
  spec.node->nic_seats = {0, 1, 2, 4};
  CHECK(errors(spec) == Names{"/node/near/7: GPU 7 reaches no NIC", "/node/near: no GPU uses NIC 3",
                              "/node/nic_seats/3: PCIe switch 4 does not exist: the 4 of a node are numbered from 0"});
  spec = dgx_nodes(2);
  spec.node->intra = NodeFabric::pcie;
  spec.node->socket_link.reset();
  CHECK(errors(spec) == Names{"/node/sockets: GPU 0 cannot reach GPU 4 (nor 31 other pairs): nothing connects their "
                              "sockets; give \"socket_link\""});
  spec = dgx_nodes(2);
  spec.node->intra = NodeFabric::nvlink_mesh;
  spec.node->gpu = gpu_named("V100");
  CHECK(errors(spec) ==
        Names{"/node/intra: 6 links per GPU do not reach 7 other GPUs; list the connected pairs in \"pairs\""});
  spec.node->gpu = gpu_named("K80");
  CHECK(errors(spec) == Names{"/node/intra: K80 has no NVLink or xGMI links: use \"pcie\""});
  spec = dgx_nodes(2);
  spec.node->gpu = gpu_named("P100");
  CHECK(errors(spec) == Names{"/node/intra: P100 is older than NVSwitch: use \"nvlink_mesh\" or \"cube_mesh\""});
  spec = dgx_nodes(2);
  spec.node->nvls = true;
  CHECK(errors(spec) == Names{"/node/nvls: A100 cannot reduce in an NVSwitch: only Hopper and later GPUs can"});
  spec = dgx_nodes(2);
  spec.node->gpu = gpu_named("MI300X");
  CHECK(errors(spec) == Names{"/node/intra: MI300X has xGMI links: use \"xgmi_mesh\""});
  spec.node->gpu = gpu_named("H100");
  spec.node->intra = NodeFabric::xgmi_mesh;
  CHECK(errors(spec) == Names{"/node/intra: H100 has NVLink: use \"nvswitch\", \"nvlink_mesh\" or \"cube_mesh\""});
  spec = dgx_nodes(2);
  spec.node->near = {{0, 0}, {0}, {1}, {1}, {2}, {2}, {3}, {3}};
  CHECK(errors(spec) == Names{"/node/near/0: a NIC is listed twice"});
  spec = dgx_nodes(2);
  spec.node->nics = 0;
  CHECK(errors(spec) == Names{"/node/nics: must be at least 1, not 0"});
  const Names found = errors(machines_of(1, 2000, "A100", NodeFabric::nvswitch, 3000));
  CHECK(std::ranges::find(found, "/node/gpus: must be at most 1024, not 2000") != found.end());
  CHECK(std::ranges::find(found, "/node/nics: must be at most 1024, not 3000") != found.end());
  spec = dgx_nodes(2);
  spec.node->gpudirect = false;
  CHECK(errors(spec) == Names{"/node/host_memory: copies through host memory need its \"bandwidth\""});
}

TEST_CASE("Routing by hash spreads over the roots, the same at every run and otherwise with another seed") {
  auto spec = fat_tree(64, {{.down = 8}, {.down = 8, .up = 8}});
  spec.network.routing.kind = RoutingSpec::Kind::ecmp;
  const auto platform = build_platform(spec, 0), again = build_platform(spec, 0);
  spec.network.routing.seed = 1;
  const auto other = build_platform(spec, 0);
  std::vector<int> roots(8);
  int differing = 0;
  for (int from = 0; from < 64; ++from)
    for (int to = 0; to < 64; ++to) {
      if (from / 8 == to / 8) continue;
      const auto way = route(platform, from, to);
      REQUIRE(way.size() == 4);
      REQUIRE(way == route(again, from, to));
      REQUIRE(way[1].substr(way[1].find(".up") + 3) == way[2].substr(way[2].find(".down") + 5)); // the same root
      ++roots[static_cast<std::size_t>(way[1].back() - '0')];
      if (way != route(other, from, to)) ++differing;
    }
  const int flows = std::accumulate(roots.begin(), roots.end(), 0);
  CHECK(flows == 64 * 56);
  for (const int count : roots) CHECK(std::abs(count - flows / 8) < 100); // five standard deviations
  CHECK(differing > flows / 2);
  auto fly = dragonfly(36, 3, 4, 3, 6);
  fly.network.routing.kind = RoutingSpec::Kind::ecmp;
  const auto flying = build_platform(fly, 0);
  std::set<std::string> cables;
  for (int to = 12; to < 24; ++to)
    for (const auto& link : route(flying, 0, to))
      if (link.starts_with("group0-1")) cables.insert(link);
  CHECK(cables.size() > 3);
  auto star = network(Topology::star, 4);
  star.network.routing.kind = RoutingSpec::Kind::ecmp;
  CHECK(errors(star) == Names{"/network/routing: \"ecmp\" needs topology \"fat_tree\" or \"dragonfly\": other networks "
                              "have a single shortest route"});
}
