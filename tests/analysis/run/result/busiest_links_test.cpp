// The utilisation of links, and the links named as the busiest: cases derived by hand. NICs have 1 GB/s.
#include "analysis/run/result/link_groups.hpp"
#include "analysis/run/result/outcome.hpp"
#include "sim/engine/changes/changes.hpp"
#include "tests/analysis/run/result/verdict_cases.hpp"

#include <algorithm>
#include <array>

using namespace gradflight;
using namespace gradflight::verdict_cases;

namespace {

std::string busiest_of(const Outcome& o) { return busiest_links(o.result, 1).front(); }

double used_share(const Outcome& o, const std::string& name) {
  const auto found = std::ranges::find(o.result.links, name, &LinkResult::name);
  REQUIRE(found != o.result.links.end());
  return utilisation(*found, o.result.time);
}

} // namespace

TEST_CASE("a link that changes is as full as the bandwidth that it had at each time lets it be") {
  // At 2 Gbps, 120 MB take 480 ms: an override and a change at the start are equivalent.
  const Outcome over = evaluated(star_of(4, R"(, "overrides": [{ "link": "node2.up", "bandwidth": "2Gbps" }])"), ring,
                                 std::string(), gradient);
  const Outcome changed =
      evaluated(star_of(4), ring,
                std::string(R"(, "changes": [{ "at": "0s", "link": "node2.up", "bandwidth": "2Gbps" }])"), gradient);
  for (const Outcome* o : {&over, &changed}) {
    CHECK(o->result.time == Approx(0.48).epsilon(1e-9));
    CHECK(used_share(*o, "node2.up") == Approx(1).epsilon(1e-9));
    CHECK(used_share(*o, "node1.up") == Approx(0.25).epsilon(1e-9));
  }
  CHECK(busiest_of(over) == "node2.up at 100.0 % (2 Gbps, 120 MB, busy 480 ms)");
  CHECK(busiest_of(changed) == "node2.up at 100.0 % (2 Gbps on average, 120 MB, busy 480 ms)");
  // A ring of two: 80 ms at 1 GB/s, and twice 20 ms at 4 GB/s.
  const Outcome faster =
      evaluated(star_of(2), std::string(R"({ "algorithm": "ring" }, "iterations": 3)"),
                std::string(R"(, "changes": [{ "at": "80ms", "nodes": "0-1", "bandwidth": "32Gbps" }])"), gradient);
  CHECK(faster.result.time == Approx(0.12).epsilon(1e-9));
  CHECK(used_share(faster, "node0.up") == Approx(1).epsilon(1e-9));
  // Down for 30 of 110 ms, it carries 80 MB in the rest. Links of the other directions have a capacity of 110 MB.
  const Outcome down =
      evaluated(star_of(2), ring, std::string(R"(, "changes": [{ "at": "20ms", "link": "node1.up", "state": "down" },
                                                              { "at": "50ms", "link": "node1.up", "state": "up" }])"),
                gradient);
  CHECK(down.result.time == Approx(0.11).epsilon(1e-9));
  CHECK(used_share(down, "node1.up") == Approx(1).epsilon(1e-9));
  CHECK(used_share(down, "node1.down") == Approx(80.0 / 110).epsilon(1e-9));
}

TEST_CASE("a burst takes no time, and a link is never more than full") {
  const Outcome o = evaluated(star_of(2, R"(, "protocol": { "eager_limit": "64KiB", "burst": "20MB" })"), ring,
                              std::string(), gradient);
  CHECK(used_share(o, "node0.up") == 1);
}

TEST_CASE("mean bandwidths: changes that repeat, latencies, links that are down") {
  using What = PlatformChange::What;
  const std::array<double, 4> own = {100, 100, 100, 100};
  const std::vector<PlatformChange> changes = {
      {What::bandwidth, 0, 1, 10, 50, 0}, // 1 of 10 s at 100, or ...
      {What::bandwidth, 0, 6, 10, 100, 1}, {What::latency, 1, 2, 0, 0.5, 2},
      {What::link_state, 2, 3, 0, 0, 3},   {What::bandwidth, 2, 4, 0, 40, 4}, // comes while the link is down
      {What::link_state, 2, 5, 0, 1, 5}};
  const auto means = mean_bandwidths(changes, own, 20);
  CHECK(means[0] == Approx((2 * 5 * 50 + 2 * 5 * 100) / 20.0)); // ... 5 of 10 s at 50
  CHECK_FALSE(means[1]);
  CHECK(means[2] == Approx((3 * 100 + 15 * 40) / 20.0));
  CHECK_FALSE(means[3]);
  CHECK_FALSE(mean_bandwidths(changes, own, 1)[0]); // a change at the end has no effect
}

TEST_CASE("links of one load are counted by cable: directions of different nodes are different cables") {
  // The other flow uses half of the rate from node 0, and half of the rate to node 1.
  const Outcome o = evaluated(star_of(4), ring, std::string(R"(, "traffic": [{ "from": 0, "to": 1 }])"), gradient);
  CHECK(used_share(o, "node0.up") == Approx(1).epsilon(1e-9));
  CHECK(used_share(o, "node1.down") == Approx(1).epsilon(1e-9));
  CHECK(busiest_of(o).starts_with("2 NICs at 100.0 % (node0.up: "));
  // Both directions of one cable count as one.
  RunResult one;
  one.time = 1;
  for (const char* name : {"node0.gpu0.up", "node0.gpu0.down"}) {
    LinkRole role{.tier = LinkTier::gpu_link, .type = LinkType::gpu_pcie};
    role.way = std::string_view(name).ends_with("up") ? LinkWay::up : LinkWay::down;
    one.links.push_back({name, 100, 1, 100, role});
  }
  CHECK(busiest_links(one, 1).front().starts_with("node0.gpu0 (both directions) at 100.0 % (node0.gpu0.up: "));
  // A graph has a name for each end.
  const Outcome graph = evaluated(R"({ "nodes": 3, "network": { "topology": "graph", "switches": ["s"],
    "links": [ { "from": 0, "to": "s", "bandwidth": "8Gbps" }, { "from": 1, "to": "s", "bandwidth": "8Gbps" },
               { "from": 2, "to": "s", "bandwidth": "8Gbps" } ] } })",
                                  ring, std::string(), gradient);
  CHECK(busiest_of(graph).starts_with("3 cables like 0->s at "));
}

TEST_CASE("links that changed otherwise but carried as much at one bandwidth are counted together") {
  // A latency does not change the bandwidth: the NIC of node 1 has the same utilisation as the other one.
  const Outcome o = evaluated(
      star_of(2), ring, std::string(R"(, "changes": [{ "at": "0s", "nic": "node1", "latency": "1ms" }])"), gradient);
  CHECK(busiest_of(o).starts_with("2 NICs at "));
}
