// Other flows beside the job: exact cases with both engines, both engines compared on random scenarios, and jobs that
// wait forever while flows continue.
#include "platforms/code/traffic.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_scenario.hpp"
#include "tests/support/same_times.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <set>

using namespace gradflight;
using namespace gradflight::test;

namespace {

using FlowPattern = TrafficSpec::Pattern;
using Arriving = TrafficSpec::Arrivals;

/// A worker pushes 1e9 bytes to a server, node 1, and receives them back, over links of 1e9 bytes/s: 1 s up and 1 s
/// down.
Scenario one_push() {
  Scenario s = star(1, 250'000'000, Algorithm::parameter_server, 0);
  s.platform.network.link = {ByteRate(1e9), Seconds(0), {}, {}};
  return s;
}

/// Checks that both engines agree; returns the result.
ForkedRun by_both(const Scenario& s) {
  const ForkedRun hybrid = run(s), reference = run(s, EngineKind::simgrid);
  CHECK(hybrid.time == Approx(reference.time).epsilon(1e-9));
  REQUIRE(hybrid.traffic.size() == reference.traffic.size());
  for (std::size_t i = 0; i < hybrid.traffic.size(); ++i) {
    CHECK(hybrid.traffic[i].flows == reference.traffic[i].flows);
    CHECK(hybrid.traffic[i].ended == reference.traffic[i].ended);
    CHECK(hybrid.traffic[i].bytes == Approx(reference.traffic[i].bytes).epsilon(1e-9));
    CHECK(hybrid.traffic[i].flow_time == Approx(reference.traffic[i].flow_time).epsilon(1e-9));
  }
  for (std::size_t l = 0; l < hybrid.link_bytes.size(); ++l) {
    CHECK(hybrid.link_bytes[l] == Approx(reference.link_bytes[l]).epsilon(1e-9));
    CHECK(hybrid.link_busy[l] == Approx(reference.link_busy[l]).epsilon(1e-9));
  }
  return hybrid;
}

std::vector<int> some_nodes(int least, int nodes) {
  std::set<int> chosen;
  for (int n = *rc::gen::inRange(least, 5); n-- > 0;) chosen.insert(*rc::gen::inRange(0, nodes));
  return {chosen.begin(), chosen.end()};
}

} // namespace

TEST_CASE("a flow takes its share for as long as it flows") {
  Scenario s = one_push();
  s.traffic = {steady_flow("f", 0, 1)};
  ForkedRun o = by_both(s);
  CHECK(o.time == Approx(3).epsilon(1e-9));               // half the rate up; the way down uses another link
  CHECK(o.traffic[0].bytes == Approx(2e9).epsilon(1e-9)); // half the rate for 2 s, and the full rate for one
  CHECK(o.link_bytes[0] == Approx(3e9).epsilon(1e-9));
  s.traffic[0].bytes = Bytes(0.25e9); // until 0.5 s
  o = by_both(s);
  CHECK(o.time == Approx(2.25).epsilon(1e-9));
  CHECK(o.traffic[0].ended == 1);
  CHECK(o.traffic[0].flow_time == Approx(0.5).epsilon(1e-9));
  s.traffic[0].bytes.reset();
  s.traffic[0].start = Seconds(0.25);
  s.traffic[0].stop = Seconds(0.75);
  o = by_both(s);
  CHECK(o.time == Approx(2.25).epsilon(1e-9));
  CHECK(o.traffic[0].bytes == Approx(0.25e9).epsilon(1e-9));
  CHECK(o.traffic[0].ended == 0);
}

// The reference engine does not support rates. weighted_links_test compares caps with separate links over random
// networks.
TEST_CASE("a flow takes no more than its rate, and less where it would be unfair") {
  Scenario s = one_push();
  s.traffic = {steady_flow("f", 0, 1)};
  s.traffic[0].rate = ByteRate(0.2e9);
  CHECK(run(s).time == Approx(1 / 0.8 + 1).epsilon(1e-9));
  s.traffic[0].rate = ByteRate(0.7e9);
  CHECK(run(s).time == Approx(3).epsilon(1e-9));
  s.traffic[0].rate = ByteRate(0.25e9); // two flows and the job: a quarter, a quarter, and half
  s.traffic.push_back(s.traffic[0]);
  CHECK(run(s).time == Approx(3).epsilon(1e-9));
  s.traffic[1].rate.reset(); // a quarter, and the rest is shared
  CHECK(run(s).time == Approx(1 / 0.375 + 1).epsilon(1e-9));
}

TEST_CASE("flows that come again and again, on and off") {
  Scenario s = one_push();
  s.traffic = {steady_flow("f", 0, 1)};
  TrafficSpec& f = s.traffic[0];
  f.arrivals = Arriving::periodic;
  f.every = Seconds(0.5);
  f.bytes = Bytes(0.1e9); // half the link for 0.2 s in each 0.5 s
  // The job sends 0.4e9 bytes in each 0.5 s: two of these, then 0.2 s at half and 0.1 s at the full rate.
  ForkedRun o = by_both(s);
  CHECK(o.time == Approx(1.3 + 1).epsilon(1e-9));
  CHECK(o.traffic[0].flows == 5);
  f.arrivals = Arriving::on_off;
  f.bytes.reset();
  f.on = Seconds(0.2);
  f.constant_phases = true;
  o = by_both(s);
  CHECK(o.time == Approx(1.3 + 1).epsilon(1e-9));
  f.rate = ByteRate(0.25e9);
  CHECK(run(s).time == Approx(1 + 0.1 / 0.75 + 1).epsilon(1e-9)); // 0.45e9 in each 0.5 s
}

TEST_CASE("what comes from outside takes the receiver's links only") {
  Scenario s = one_push();
  TrafficSpec from_outside;
  from_outside.name = "out";
  from_outside.from.outside = true;
  from_outside.to.nodes = {1};
  s.traffic = {from_outside};
  CHECK(run(s).time == Approx(3).epsilon(1e-9));
  s.traffic[0].to.nodes = {0};
  CHECK(run(s).time == Approx(3).epsilon(1e-9)); // on the route of the answer
  s.traffic[0].to.outside = true;
  s.traffic[0].from = {{1}, false};
  CHECK(run(s).time == Approx(3).epsilon(1e-9));
  Scenario racks = s;
  racks.platform.network.topology = Topology::racks;
  racks.platform.network.racks = {1, 1, {}, LinkSpec{ByteRate(0.5e9), Seconds(0), {}, {}}};
  CHECK(run(racks).time == Approx(2 + 4).epsilon(1e-9)); // the server's answer and the flow share its uplink
}

TEST_CASE("both engines agree beside any traffic") {
  CHECK(rc::check("random flows beside random jobs", [](const std::uint16_t& seed) {
    Scenario s = random_scenario(seed);
    const int nodes = s.platform.nodes;
    RC_PRE(nodes > 1);
    const int entries = *rc::gen::inRange(1, 3);
    for (int e = 0; e < entries; ++e) {
      TrafficSpec t;
      t.name = "t";
      t.seed = *rc::gen::inRange(0, 1000);
      t.from.nodes = some_nodes(1, nodes);
      t.to.nodes = some_nodes(0, nodes);
      t.flows = *rc::gen::inRange(1, 300); // the reference engine's time grows with the square of the active flows
      t.pattern = *rc::gen::element(FlowPattern::pairs, FlowPattern::incast, FlowPattern::permutation);
      t.arrivals = *rc::gen::element(Arriving::once, Arriving::periodic, Arriving::poisson, Arriving::on_off);
      t.every = Seconds(*rc::gen::inRange(1, 40) * 1.03e-3);
      t.start = Seconds(*rc::gen::inRange(0, 10) * 1.07e-3);
      if (t.arrivals != Arriving::on_off && (t.arrivals != Arriving::once || *rc::gen::arbitrary<bool>()))
        t.bytes = Bytes(*rc::gen::inRange(1, 100'000) * 10.1);
      if (*rc::gen::arbitrary<bool>()) t.stop = Seconds(t.start.value() + *rc::gen::inRange(1, 100) * 1.3e-3);
      s.traffic.push_back(t);
      RC_PRE(traffic_errors(s.traffic, nodes, nodes, false).empty());
    }
    assert_same_times(run(s), run(s, EngineKind::simgrid));
  }));
}

TEST_CASE("a job that waits for ever is found out while flows go on for ever") {
  Scenario s = one_push();
  s.traffic = {steady_flow("steady", 0, 1)};
  TrafficSpec bursts = steady_flow("bursts", 1, 0);
  bursts.arrivals = Arriving::poisson;
  bursts.every = Seconds(1e-3);
  bursts.bytes = Bytes(1000);
  s.traffic.push_back(bursts);
  ChangeSpec down;
  down.at = Seconds(0.5);
  down.link = "node0.up";
  down.up = false;
  s.changes = {down};
  const ForkedRun o = run(s);
  CHECK(o.failed);
  CHECK(o.message.find("node0.up") != std::string::npos);
}

TEST_CASE("the same flows beside several jobs as beside one that holds both") {
  Scenario s = star(4, 1'000'000, Algorithm::ring, 0);
  TrafficSpec bursts;
  bursts.name = "bursts";
  bursts.arrivals = Arriving::poisson;
  bursts.every = Seconds(1e-4);
  bursts.sizes.emplace();
  s.traffic = {bursts};
  const ForkedRun once = run(s), again = run(s);
  CHECK(once.time == again.time); // the same bits
  CHECK(once.time > run([&] {
                      Scenario quiet = s;
                      quiet.traffic.clear();
                      return quiet;
                    }())
                        .time);
  Scenario jobs = s;
  JobSpec job;
  job.name = "only";
  job.workload = s.workload;
  job.phases = s.phases;
  job.count = 4;
  jobs.jobs = {job};
  jobs.workload = {};
  jobs.phases.clear();
  CHECK(run(jobs).time == once.time);
}
