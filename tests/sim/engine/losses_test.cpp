// Messages lost on failed links: sent again, possibly on another route. Exact cases, and properties with random
// scenarios.
#include "sim/engine/streams/failure.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_scenario.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

ChangeSpec state(double at, const std::string& link, bool up) {
  ChangeSpec change;
  change.at = Seconds(at);
  change.link = link;
  change.up = up;
  return change;
}

Scenario recovering(Scenario s, RecoveryPolicy policy, double detection, std::vector<ChangeSpec> changes) {
  s.recovery.emplace();
  s.recovery->policy = policy;
  s.recovery->detection = Seconds(detection);
  s.changes = std::move(changes);
  return s;
}

/// A worker pushes 1e9 bytes to a server and receives them back, over links of 1e9 bytes/s.
Scenario push_over_star(double latency) {
  Scenario s = star(1, 250'000'000, Algorithm::parameter_server, 0);
  s.platform.network.link = {ByteRate(1e9), Seconds(latency), {}, {}};
  return s;
}

/// The same through switch a. The route through switch b has half the bandwidth and 2 ms.
Scenario push_over_graph() {
  Scenario s = push_over_star(0);
  s.platform.network.topology = Topology::graph;
  s.platform.network.switches = {"a", "b"};
  const LinkSpec fast{ByteRate(1e9), Seconds(0), {}, {}}, slow{ByteRate(5e8), Seconds(1e-3), {}, {}};
  s.platform.network.edges = {
      {"0", "a", fast, false}, {"a", "1", fast, false}, {"0", "b", slow, false}, {"b", "1", slow, false}};
  return s;
}

struct Ended {
  double time;
  std::int64_t lost, rerouted;
};

Ended ended(const Scenario& s) {
  const RunResult result = simulate(s, build_platform(s.platform, extra_nodes(s)));
  CHECK(sum(result.path) == Approx(result.time).epsilon(1e-12));
  CHECK(result.received_bytes == result.wire_bytes);
  const ForkedRun clock = run_on_simgrid_clock(s);
  CHECK_FALSE(clock.failed);
  CHECK(clock.time == result.time);
  return {result.time, result.lost_messages, result.rerouted_messages};
}

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-9 * b; }

} // namespace

TEST_CASE("a message on a link that goes down is sent again, alpha and all of its bytes") {
  const auto pushed = [](double latency, double detection, std::vector<ChangeSpec> changes) {
    return ended(recovering(push_over_star(latency), RecoveryPolicy::resend, detection, std::move(changes)));
  };
  const auto down = [](double at, double until) {
    return std::vector{state(at, "node0.up", false), state(until, "node0.up", true)};
  };
  auto run = pushed(0, 0, down(0.5, 0.75));
  CHECK(run.time == 0.75 + 1 + 1);
  CHECK(run.lost == 1);
  CHECK(run.rerouted == 0);
  CHECK(pushed(0, 0.5, down(0.5, 0.75)).time == 1 + 1 + 1);               // up again before the failure is detected
  CHECK(nearly(pushed(1e-3, 0, down(0.5, 0.75)).time, 0.75 + 2 * 1.002)); // one more alpha
  run = pushed(1e-3, 0, down(1e-3, 0.75));                                // before its first byte: nothing is lost
  CHECK(nearly(run.time, 0.75 + 2 * 1.002));
  CHECK(run.lost == 0);
  CHECK(pushed(0, 0, down(1, 1.25)).time == 2); // the message ends at this moment
  // Lost twice.
  run = pushed(0, 0,
               {state(0.5, "node0.up", false), state(0.75, "node0.up", true), state(1.5, "node1.down", false),
                state(2, "node1.down", true)});
  CHECK(run.time == 2 + 1 + 1);
  CHECK(run.lost == 2);
  // Both links of the route fail one after the other: no message starts in between.
  run = pushed(0, 0,
               {state(0.5, "node0.up", false), state(0.625, "node1.down", false), state(0.75, "node0.up", true),
                state(1, "node1.down", true)});
  CHECK(run.time == 1 + 1 + 1);
  CHECK(run.lost == 1);
}

TEST_CASE("flows beside what is lost have its share meanwhile") {
  Scenario s = star(2, 250'000'000, Algorithm::parameter_server, 0);
  s.platform.network.link = {ByteRate(1e9), Seconds(0), {}, {}};
  // Each has half of the server's link for 0.5 s. Then 0.25e9 bytes are lost, and the other has 0.75e9 left. With the
  // full link until 0.75 s it has 0.5e9 left, then half of it: it arrives at 1.75 s. The repeated message then has
  // 0.5e9 left: 2.25 s. Two pulls follow.
  const auto run =
      ended(recovering(s, RecoveryPolicy::resend, 0, {state(0.5, "node0.up", false), state(0.75, "node0.up", true)}));
  CHECK(nearly(run.time, 2.25 + 2));
}

TEST_CASE("messages go around what is down, once that is known, and back when it is up") {
  const auto pushed = [](double detection, std::vector<ChangeSpec> changes, int iterations = 1) {
    Scenario s = push_over_graph();
    training(s).iterations = iterations;
    return ended(recovering(s, RecoveryPolicy::reroute, detection, std::move(changes)));
  };
  auto run = pushed(0, {state(0.5, "0->a", false)});
  CHECK(nearly(run.time, 0.5 + 2.002 + 1)); // the pull has a separate route
  CHECK(run.lost == 1);
  CHECK(run.rerouted == 1);
  CHECK(nearly(pushed(0.125, {state(0.5, "0->a", false)}).time, 0.625 + 2.002 + 1));
  // Later messages use another route immediately. A failure that is not detected yet is noticed at the first byte.
  run = pushed(0.125, {state(0.5, "0->a", false)}, 3);
  CHECK(nearly(run.time, 0.625 + 3 * 2.002 + 3));
  CHECK(run.lost == 1);
  CHECK(run.rerouted == 3);
  CHECK(nearly(pushed(0.125, {state(1.5, "1->a", false)}).time, 1 + 0.625 + 2.002)); // for the pull in transit
  run = pushed(0.125, {state(0, "0->a", false)});
  CHECK(nearly(run.time, 0.125 + 2.002 + 1)); // it waits before its first byte
  CHECK(run.lost == 0);
  // A message on another route stays there; later messages use their own route again.
  CHECK(nearly(pushed(0, {state(0.5, "0->a", false), state(0.75, "0->a", true)}, 2).time, 0.5 + 2.002 + 1 + 2));
  // The link is up before the failure is detected.
  CHECK(pushed(0.5, {state(0.5, "0->a", false), state(0.75, "0->a", true)}).time == 1 + 1 + 1);
  // For some time no route exists.
  CHECK(nearly(pushed(0, {state(0.5, "0->a", false), state(0.75, "b->1", false), state(1, "b->1", true)}).time,
               1 + 2.002 + 1));
}

TEST_CASE("who has no way for good fails, and names what is down") {
  Scenario s = recovering(push_over_graph(), RecoveryPolicy::reroute, 0.25,
                          {state(0.5, "0->a", false), state(0.5, "0->b", false)});
  const bool with_traffic = GENERATE(false, true);
  if (with_traffic) s.traffic = {steady_flow("beside", 1, 0)};
  const ForkedRun outcome = run(s);
  CHECK(outcome.failed);
  CHECK(outcome.message.find("0->a") != std::string::npos);
  CHECK(outcome.message.find("0->b") != std::string::npos);
}

namespace {

/// Returns any exchange on a network with several routes and cables that fail repeatedly.
Scenario flapping_scenario(std::uint32_t seed, RecoveryPolicy policy) {
  Dice dice(seed);
  Scenario s = random_scenario(seed);
  s.platform.protocol.reset();
  s.platform.node.reset();
  s.changes.clear();
  s.platform.network.topology = Topology::torus;
  const int nodes = s.platform.nodes + extra_nodes(s);
  s.platform.network.torus = {(nodes + 2) / 3, 3};
  const double span = simulate(s, build_platform(s.platform, extra_nodes(s))).time;
  const Platform platform = build_platform(s.platform, extra_nodes(s));
  for (int i = dice.in(1, 5); i > 0; --i) {
    const auto& name =
        platform.links()[static_cast<std::size_t>(dice.in(0, static_cast<int>(platform.network_links()) - 1))].name;
    if (std::ranges::any_of(s.changes, [&](const ChangeSpec& c) { return c.link == name; })) continue;
    const double at = span * dice.real(0, 1);
    s.changes.push_back(state(at, name, false));
    s.changes.push_back(state(at + span * dice.real(0.01, 0.5), name, true));
  }
  std::ranges::stable_sort(s.changes, {}, [](const ChangeSpec& c) { return c.at.value(); });
  return recovering(s, policy, span * dice.real(0, 0.1), s.changes);
}

} // namespace

TEST_CASE("whatever is lost, everything arrives, and both drivers agree to the bit") {
  REQUIRE(rc::check("lost and found", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const auto policy = *rc::gen::element(RecoveryPolicy::resend, RecoveryPolicy::reroute);
    Scenario s = flapping_scenario(seed, policy);
    RC_LOG() << "seed " << seed << "\n";
    const ForkedRun loop = run(s), clock = run_on_simgrid_clock(s);
    RC_ASSERT(!loop.failed);
    RC_ASSERT(clock.time == loop.time);
    RC_ASSERT(clock.path == loop.path);
    RC_ASSERT(std::abs(sum(loop.path) - loop.time) <= 1e-9 * loop.time);
    RC_ASSERT(std::ranges::all_of(loop.path, [&](double part) { return part >= -1e-9 * loop.time; }));
    s.recovery.reset();
    s.changes.clear();
    const ForkedRun calm = run(s);
    RC_ASSERT(calm.messages == loop.messages);
    RC_ASSERT(calm.payload_bytes == loop.payload_bytes);
  }));
}

TEST_CASE("where nothing goes down, the policy is none") {
  REQUIRE(rc::check("calm", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    Scenario s = flapping_scenario(seed, RecoveryPolicy::reroute);
    for (ChangeSpec& change : s.changes) change.up = true;
    const ForkedRun with = run(s);
    s.recovery.reset();
    s.engine.shortcuts = false;
    const ForkedRun without = run(s);
    RC_ASSERT(with.time == without.time);
    RC_ASSERT(with.path == without.path);
  }));
}
