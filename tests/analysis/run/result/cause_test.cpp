// The largest delay of a run is named first: among the links of its critical path, and among the causes of a residual.
#include "analysis/run/evaluate.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/result/comparison.hpp"
#include "tests/support/forked.hpp"

#include <catch2/catch.hpp>
#include <tuple>

using namespace gradflight;
using Catch::Contains;
using Catch::StartsWith;
using gradflight::test::star;
using gradflight::test::training;

namespace {

Outcome outcome_of(const Scenario& s) { return evaluate(Prepared(s)); }

std::string cause(const Outcome& o) { return compare({o.result.time, o.result.path, o.bottlenecks}, o.form).cause; }

/// 16 nodes of 8 GPUs that share a NIC, in racks of 4.
Scenario racks(double oversubscription, int gpus = 8) {
  Scenario s = star(16, 1 << 20, Algorithm::halving_doubling);
  s.platform.gpus_per_node = gpus;
  s.platform.network.topology = Topology::racks;
  s.platform.network.racks = {4, oversubscription, {}};
  return s;
}

void override_node(Scenario& s, int node, ByteRate bandwidth, ByteRate reduce = ByteRate(0)) {
  NodeOverride o;
  o.nodes = {node};
  if (bandwidth.value() > 0) o.bandwidth = bandwidth;
  if (reduce.value() > 0) o.reduce_bandwidth = reduce;
  s.platform.node_overrides.push_back(o);
}

double contention(const Outcome& o) { return at(o.result.path, Part::contention); }

} // namespace

TEST_CASE("halving-doubling over racks: the uplinks where they cost the most, else the NICs") {
  // Blocks get smaller on their way out. 3/128 of the vector cross racks at 1/32 of 1/ratio, and 3/32 cross nodes at
  // 1/8 of a link.
  for (const auto& [ratio, first, second] : {std::tuple(4.0, "rack", "node"), std::tuple(2.0, "node", "rack")}) {
    const auto o = outcome_of(racks(ratio));
    INFO(cause(o));
    REQUIRE(o.bottlenecks.size() == 2);
    CHECK(o.bottlenecks[0].link.substr(0, 4) == first);
    CHECK(o.bottlenecks[1].link.substr(0, 4) == second);
    for (const Bottleneck& links : o.bottlenecks) CHECK(links.alike == (links.link.substr(0, 4) == "rack" ? 3 : 15));
    CHECK(o.bottlenecks[0].seconds + o.bottlenecks[1].seconds == Approx(contention(o)).epsilon(1e-9));
    CHECK_THAT(cause(o), StartsWith(first) && Contains(" (and 3 alike) ") && Contains(" (and 15 alike) "));
    CHECK_THAT(cause(o), !Contains("at once")); // the link with most messages is not the one with the largest cost
  }
}

TEST_CASE("links that hold messages up together are both named, each with all of the time") {
  const auto o = outcome_of(racks(1));
  REQUIRE(o.bottlenecks.size() == 2);
  CHECK(o.bottlenecks[0].link.substr(0, 4) == "node"); // the whole time of the uplinks, and the time within racks
  CHECK(o.bottlenecks[0].seconds == Approx(contention(o)).epsilon(1e-9));
  CHECK(o.bottlenecks[1].link.substr(0, 4) == "rack");
  CHECK(o.bottlenecks[1].seconds > 0.1 * contention(o));
  CHECK_THAT(cause(o), Contains("node") && Contains("rack"));
}

TEST_CASE("links that cost nothing are no cause: where messages share them at full speed, latency is") {
  const auto o = outcome_of(racks(1, 1));
  CHECK(contention(o) == 0);
  CHECK(o.bottlenecks.empty());
  CHECK_THAT(cause(o), StartsWith("an assumption fails: links alike (") && Contains("20 us"));
  CHECK_THAT(cause(o), !Contains("two messages"));
}

TEST_CASE("one slow NIC is named before all others, alone") {
  Scenario s = racks(1, 2);
  override_node(s, 3, ByteRate(1.25e8));
  const auto o = outcome_of(s);
  INFO(cause(o));
  REQUIRE(!o.bottlenecks.empty());
  CHECK(o.bottlenecks[0].link.substr(0, 6) == "node3.");
  CHECK(o.bottlenecks[0].alike == 0);
  CHECK_THAT(cause(o), StartsWith("node3."));
}

TEST_CASE("without sharing, a slow NIC is named by the route that has it") {
  Scenario s = star(8, 1 << 20, Algorithm::binomial_tree);
  override_node(s, 3, ByteRate(1.25e8));
  const auto o = outcome_of(s);
  CHECK(contention(o) == 0);
  CHECK_THAT(cause(o), StartsWith("an assumption fails: links alike (") && Contains("(node3."));
}

TEST_CASE("a server's NIC is named though its form counts it: down for pushes, up for pulls") {
  Scenario s = star(8, 1 << 20, Algorithm::parameter_server);
  const auto o = outcome_of(s);
  CHECK(cause(o).empty());
  REQUIRE(o.bottlenecks.size() == 2);
  CHECK(o.bottlenecks[0].link.substr(0, 6) == "node8.");
  CHECK(o.bottlenecks[1].link.substr(0, 6) == "node8.");
  CHECK(o.bottlenecks[0].alike + o.bottlenecks[1].alike == 0);
  CHECK(o.bottlenecks[0].seconds + o.bottlenecks[1].seconds == Approx(contention(o)).epsilon(1e-9));
}

TEST_CASE("the reducer is named, and no link") {
  Scenario s = star(8, 1 << 20, Algorithm::binomial_tree);
  override_node(s, 6, ByteRate(0), ByteRate(1e8));
  const auto o = outcome_of(s);
  CHECK_THAT(cause(o), StartsWith("an assumption fails: all ranks reduce equally fast (node "));
  CHECK(o.bottlenecks.empty());
}

TEST_CASE("the reference engine names no links: there all that fails and costs something is the cause") {
  Scenario s = racks(4);
  const Prepared prepared(s);
  auto o = evaluate(prepared);
  o.bottlenecks.clear();
  CHECK_THAT(cause(o), Contains("no link carries two messages at once ("));
}

TEST_CASE("the busiest links are grouped, whoever ties with them") {
  RunResult r;
  r.time = 1;
  const auto role = [](LinkTier tier, LinkType type, bool up) {
    LinkRole link;
    link.tier = tier;
    link.type = type;
    link.way = up ? LinkWay::up : LinkWay::down;
    return link;
  };
  for (int i = 0; i < 3; ++i)
    for (const bool up : {true, false})
      r.links.push_back({"node" + std::to_string(i) + (up ? ".up" : ".down"), i == 2 ? 50.0 : 70.0, 0.7, 100,
                         role(LinkTier::nic, LinkType::cable, up)});
  for (const bool up : {true, false})
    r.links.push_back({up ? "rack0.up" : "rack0.down", 140, 0.7, 200, role(LinkTier::network, LinkType::uplink, up)});
  r.links.push_back({"rack1.up", 0, 0, 200, role(LinkTier::network, LinkType::uplink, true)});
  const auto busiest = busiest_links(r, 3);
  REQUIRE(busiest.size() == 2);
  CHECK_THAT(busiest[0], StartsWith("2 NICs, 1 uplink at 70.0 % (node0.up: "));
  CHECK_THAT(busiest[1], StartsWith("1 NIC at 50.0 % (node2.up: "));
}

TEST_CASE("shared links that a form counts are no cause of a shorter run") {
  // A worker on the server's node pushes without a cable: the reduction of its 50 MB is hidden, 10 ms.
  const ScenarioSource source{"case.json", R"({ "platform": { "nodes": 4, "gpus_per_node": 2, "network": {
      "topology": "star", "link": { "bandwidth": "10Gbps" } }, "reduce_bandwidth": "5GB/s" },
    "workload": { "layers": [{ "backward": "10ms", "tensors": [{ "bytes": "100MB" }] }] },
    "training": { "exchange": { "algorithm": "parameter_server", "servers": 2, "colocated": true } } })"};
  const Outcome o = evaluate(prepare_changed(source, {}));
  REQUIRE(o.form.form);
  CHECK(o.result.time == Approx(o.form.form->terms.time - 0.01).epsilon(1e-9));
  CHECK(contention(o) > 0);
  CHECK_THAT(cause(o), Contains("share their links evenly") && !Contains("node0.up 4"));
}

TEST_CASE("a run that is faster than its form is not held up by the form's own engines") {
  // GPU 1 beside the server is done early, so one of the reductions of 960 KB at 10 GB/s is hidden: 96 us.
  const Outcome o = evaluate(prepare_changed(
      ScenarioSource{"codec.json", R"({ "platform": { "nodes": 2, "gpus_per_node": 2, "reduce_bandwidth": "10GB/s",
          "network": { "topology": "star", "link": { "bandwidth": "100Gbps" } }, "nic": { "engines": 1, "clock_mhz": 25 } },
        "workload": { "tensors": [{ "bytes": "960KB" }] },
        "training": { "exchange": { "algorithm": "parameter_server", "servers": 1, "colocated": true },
                      "compression": { "ratio": 2, "placement": "nic" } } })"},
      {}));
  CHECK(o.result.time - o.form.form->terms.time == Approx(-96e-6).epsilon(1e-6));
  const std::string why = compare(simulated(o), o.form).cause;
  CHECK(!StartsWith("node0.nic").match(why));
  CHECK_THAT(why, Contains("end together"));
}

TEST_CASE("in pieces, the work on a piece overlaps the transfer of the next") {
  // 8 pieces of 2 ms, each decoded in 0.5 ms: 16.5 ms. The form adds all eight decodings.
  const Outcome o = evaluate(prepare_changed(
      ScenarioSource{
          "pieces.json",
          R"({ "platform": { "nodes": 2, "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } } },
        "workload": { "tensors": [{ "bytes": "8MB" }] },
        "training": { "exchange": { "algorithm": "ring", "pieces": 4 },
                      "compression": { "ratio": 4, "placement": "cpu", "decode_bandwidth": "2GB/s" } } })"},
      {}));
  CHECK(o.result.time == Approx(16.5e-3).epsilon(1e-9));
  CHECK_THAT(compare(simulated(o), o.form).cause, Contains("overlaps the transfer of the next"));
}
