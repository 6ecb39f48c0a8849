#include "platforms/code/describe.hpp"
#include "support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;

TEST_CASE("describe: places, and links by kind") {
  auto spec = with_gpus(racks(4, 2, 4), 2, IntraKind::pcie);
  spec.link_overrides = {{"node2.up", ByteRate(125e6), Seconds(0), 0}};
  const auto p = build_platform(spec, 1);
  const auto kinds = link_kinds(p);
  REQUIRE(kinds.size() == 8);
  CHECK(kinds[0].name == "node*.up");
  CHECK(kinds[0].count == 5);
  CHECK(kinds[0].least_bandwidth == 125e6);
  CHECK(kinds[0].most_bandwidth == 1.25e9);
  CHECK(kinds[0].least_latency == 0);
  CHECK(kinds[2].name == "rack*.up");
  CHECK(kinds[2].count == 3);
  CHECK(kinds[4].name == "node*.gpu*.up");
  CHECK(kinds[4].count == 8);
  std::int64_t total = 0;
  for (const auto& kind : kinds) total += kind.count;
  CHECK(total == static_cast<std::int64_t>(p.links().size()));
  const auto text = describe(p);
  CHECK(text.find("8 GPUs on 4 nodes, 1 server\n") == 0);
  CHECK(text.find("       5 node*.up                 1Gbps to 10Gbps, 0s to 5us\n") != std::string::npos);
}

TEST_CASE("both directions of a cable have one name") {
  CHECK(cable_name("node3.up") == "node3");
  CHECK(cable_name("node0.nic2.down") == "node0.nic2");
  CHECK(cable_name("node0.nic2.both") == "node0.nic2");
  CHECK(cable_name("sw1-0.up2") == "sw1-0.2"); // a switch with several cables upwards
  CHECK(cable_name("sw1-0.down2") == "sw1-0.2");
  CHECK(cable_name("a->b") == cable_name("b->a"));
  CHECK(cable_name("a->b#1") != cable_name("b->a"));
  CHECK(cable_name("node0.socket0-1") == "node0.socket0-1");
}
