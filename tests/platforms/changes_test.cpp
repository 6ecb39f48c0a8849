// The links and places that a change affects.
#include "platforms/code/changes.hpp"
#include "platforms/code/platform.hpp"
#include "platforms/code/spec/change_spec.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

using namespace gradflight;

namespace {

PlatformSpec changing_star(int nodes) {
  PlatformSpec spec;
  spec.nodes = nodes;
  spec.network.link = {ByteRate(1e9), Seconds(0), {}, {}};
  return spec;
}

ChangeSpec slower(double at) {
  ChangeSpec change;
  change.at = Seconds(at);
  change.bandwidth = ByteRate(5e8);
  return change;
}

std::set<std::string> changed_links(const ChangeSpec& change, const PlatformSpec& spec) {
  const Platform platform = build_platform(spec, 1);
  std::vector<PlatformError> errors;
  std::set<std::string> names;
  for (const PlatformChange& one : find_changes({change}, spec, platform, errors))
    if (one.of_link()) names.insert(platform.link(one.target).name);
  CHECK(errors.empty());
  return names;
}

std::vector<std::string> change_errors(const std::vector<ChangeSpec>& changes, const PlatformSpec& spec) {
  std::vector<PlatformError> errors;
  find_changes(changes, spec, build_platform(spec, 1), errors);
  std::vector<std::string> texts;
  for (const PlatformError& error : errors) texts.push_back(error.pointer + ": " + error.message);
  return texts;
}

using LinkSet = std::set<std::string>;

} // namespace

TEST_CASE("a change names one link, cables of nodes, a NIC, or all at a switch") {
  PlatformSpec star = changing_star(3);
  ChangeSpec change = slower(1);
  change.link = "node2.down";
  CHECK(changed_links(change, star) == LinkSet{"node2.down"});
  change = slower(1);
  change.nodes = {0, 3}; // the last one is a server
  CHECK(changed_links(change, star) == LinkSet{"node0.up", "node0.down", "node3.up", "node3.down"});
  change = slower(1);
  change.nic = "node1";
  CHECK(changed_links(change, star) == LinkSet{"node1.up", "node1.down"});
  change = slower(1);
  change.switch_name = "switch";
  CHECK(changed_links(change, star).size() == 8);
  PlatformSpec racks = changing_star(4);
  racks.network.topology = Topology::racks;
  racks.network.racks.nodes_per_rack = 2;
  change.switch_name = "rack1";
  CHECK(changed_links(change, racks) ==
        LinkSet{"rack1.up", "rack1.down", "node2.up", "node2.down", "node3.up", "node3.down"});
  PlatformSpec torus = changing_star(3); // with a node for a server
  torus.network.topology = Topology::torus;
  torus.network.torus = {4};
  change.switch_name = "router3";
  CHECK(changed_links(change, torus) ==
        LinkSet{"router3.dim0+", "router3.dim0-", "router2.dim0+", "router0.dim0-", "node3.up", "node3.down"});
  change.switch_name = "router4";
  CHECK(change_errors({change}, torus) ==
        std::vector<std::string>{"/changes/0/switch: unknown switch \"router4\": switches are "
                                 "\"router0\", \"router1\", ...; did you mean \"router0\"?"});
  PlatformSpec tree = changing_star(3);
  tree.network.topology = Topology::fat_tree;
  tree.network.fat_tree = {{2, 1, 1, {}}, {2, 2, 1, {}}};
  change.switch_name = "sw2-1";
  CHECK(changed_links(change, tree) == LinkSet{"sw1-0.up1", "sw1-0.down1", "sw1-1.up1", "sw1-1.down1"});
  PlatformSpec graph = changing_star(2);
  graph.network.topology = Topology::graph;
  graph.network.switches = {"a", "b"};
  const LinkSpec cable{ByteRate(1e9), Seconds(0), {}, {}};
  graph.network.edges = {{"0", "a", cable}, {"a", "b", cable}, {"b", "1", cable}, {"2", "b", cable}};
  change.switch_name = "a";
  CHECK(changed_links(change, graph) == LinkSet{"0->a", "a->0", "a->b", "b->a"});
  change = slower(1);
  change.nodes = {1};
  CHECK(changed_links(change, graph) == LinkSet{"b->1", "1->b"});
}

TEST_CASE("speeds are of a node's GPUs, or of one") {
  PlatformSpec spec = changing_star(2);
  spec.gpus_per_node = 3;
  const Platform platform = build_platform(spec, 0);
  ChangeSpec change;
  change.nodes = {1};
  change.compute_speed = 0.5;
  std::vector<PlatformError> errors;
  CHECK(find_changes({change}, spec, platform, errors).size() == 3);
  change.nodes.clear();
  change.gpu = 4;
  const auto one = find_changes({change}, spec, platform, errors);
  REQUIRE(one.size() == 1);
  CHECK(changed_thing(one[0], platform) == "GPU 1 of node 1");
  CHECK(one[0].what == PlatformChange::What::compute_speed);
  CHECK(one[0].value == 0.5);
  change.compute_speed.reset();
  change.up = false;
  change.gpu.reset();
  change.nodes = {1}; // its cables and its GPUs
  CHECK(find_changes({change}, spec, platform, errors).size() == 5);
  CHECK(errors.empty());
}

TEST_CASE("what is not there, and what clashes, is told") {
  const PlatformSpec star = changing_star(3);
  ChangeSpec wrong = slower(1);
  wrong.link = "node1.upp";
  CHECK(change_errors({wrong}, star) ==
        std::vector<std::string>{"/changes/0/link: unknown link \"node1.upp\"; did you mean \"node1.up\"?"});
  wrong = slower(1);
  wrong.nodes = {7};
  CHECK(change_errors({wrong}, star).size() == 1);
  wrong.nodes.clear();
  wrong.nic = "nod";
  CHECK(change_errors({wrong}, star).size() == 1);
  wrong.nic.clear();
  wrong.switch_name = "rack0";
  CHECK(change_errors({wrong}, star).size() == 1);
  wrong.switch_name.clear();
  wrong.gpu = 3;
  wrong.compute_speed = 1;
  CHECK(change_errors({wrong}, star).size() == 1);

  ChangeSpec link = slower(1), node = slower(1);
  link.link = "node1.up";
  node.nodes = {1};
  CHECK(change_errors({link, node}, star) ==
        std::vector<std::string>{"/changes/1: the link node1.up already changes at 1 s in entry 0"});
  node.at = Seconds(2);
  CHECK(change_errors({link, node}, star).empty());
  node.period = Seconds(3);
  REQUIRE(change_errors({link, node}, star).size() == 1);
  CHECK(change_errors({link, node}, star)[0].find("another period in entry 0") != std::string::npos);
}
