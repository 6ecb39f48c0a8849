// Links and nodes that change during a run: exact cases with both engines, both engines compared on random scenarios,
// and shortcuts compared with none.
#include "platforms/code/changes.hpp"
#include "sim/engine/changes/changes.hpp"
#include "sim/engine/streams/failure.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_scenario.hpp"
#include "tests/support/same_times.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

ChangeSpec link_has(double at, const std::string& link, double bandwidth, std::optional<double> period = {}) {
  ChangeSpec change;
  change.at = Seconds(at);
  change.link = link;
  change.bandwidth = ByteRate(bandwidth);
  if (period) change.period = Seconds(*period);
  return change;
}

ChangeSpec link_takes(double at, const std::string& link, double latency) {
  ChangeSpec change;
  change.at = Seconds(at);
  change.link = link;
  change.latency = Seconds(latency);
  return change;
}

ChangeSpec link_is(double at, const std::string& link, bool up) {
  ChangeSpec change;
  change.at = Seconds(at);
  change.link = link;
  change.up = up;
  return change;
}

ChangeSpec node_computes(double at, int node, double speed) {
  ChangeSpec change;
  change.at = Seconds(at);
  change.nodes = {node};
  change.compute_speed = speed;
  return change;
}

/// `workers` push 1e9 bytes to a server and receive them back, over links of 1e9 bytes/s: alone 1 s up and 1 s down.
Scenario pushes(int workers, double latency = 0, double compute = 0) {
  Scenario s = star(workers, 250'000'000, Algorithm::parameter_server, 0);
  s.platform.network.link = {ByteRate(1e9), Seconds(latency), {}, {}};
  s.workload.layers[0].backward = compute;
  return s;
}

double push_and_pull(Scenario s, std::vector<ChangeSpec> changes, EngineKind kind) {
  s.changes = std::move(changes);
  const ForkedRun outcome = run(s, kind);
  INFO(outcome.message);
  REQUIRE_FALSE(outcome.failed);
  CHECK(sum(outcome.path) == Approx(outcome.time).epsilon(1e-12));
  return outcome.time;
}

double close_to(double a, double b) { return std::abs(a - b) / std::abs(b); }

} // namespace

TEST_CASE("a change is felt at once, and exactly") {
  const EngineKind kind = GENERATE(EngineKind::hybrid, EngineKind::simgrid);
  const auto up = [&](std::vector<ChangeSpec> changes, double compute = 0) {
    return push_and_pull(pushes(1, 0, compute), std::move(changes), kind) - 1; // the pull takes 1 s
  };
  CAPTURE(static_cast<int>(kind));
  CHECK(close_to(up({}), 1) < 1e-9);
  CHECK(close_to(up({link_has(0.5, "node0.up", 5e8)}), 1.5) < 1e-9);
  CHECK(close_to(up({link_has(0.5, "node0.up", 5e8), link_has(0.7, "node0.up", 1e9)}), 1.1) < 1e-9);
  CHECK(close_to(up({link_has(0, "node0.up", 5e8), link_has(0.5, "node0.up", 1e9)}), 1.25) < 1e-9);
  CHECK(close_to(up({link_has(0, "node0.up", 5e8), link_has(0.5, "node0.up", 1e9)}, 0.6), 1.6) < 1e-9);
  // Faster than at first, as far as the other link of the route allows.
  CHECK(close_to(up({link_has(0.25, "node0.up", 2e9)}), 1) < 1e-9);
  CHECK(close_to(up({link_has(0.25, "node0.up", 2e9), link_has(0.5, "node1.down", 2e9)}), 0.75) < 1e-9);
  // A reduction for 0.1 s in each second: 0.95e9 bytes per second.
  CHECK(close_to(up({link_has(0.1, "node0.up", 5e8, 1.0), link_has(0.2, "node0.up", 1e9, 1.0)}), 1.05) < 1e-9);
  // Changes without effect: of an unused link, at the end of the transfer, and after the end of the run.
  CHECK(close_to(up({link_has(0.5, "node1.up", 1e9)}), 1) < 1e-9);
  CHECK(close_to(up({link_has(1, "node0.up", 1e6)}), 1) < 1e-9);
  CHECK(close_to(up({link_has(10, "node0.up", 1e6)}), 1) < 1e-9);
}

TEST_CASE("flows that share a link share what is left of it") {
  const EngineKind kind = GENERATE(EngineKind::hybrid, EngineKind::simgrid);
  // Two pushes into the server's link, which is halved after 0.5 s: 3.5 s. Then two pulls from it.
  CHECK(close_to(push_and_pull(pushes(2), {link_has(0.5, "node2.down", 5e8)}, kind), 5.5) < 1e-9);
  // One of two cables is slower: its flow has 1/4, and the other one the rest.
  CHECK(close_to(push_and_pull(pushes(2), {link_has(0, "node0.up", 2.5e8)}, kind), 6) < 1e-9);
}

TEST_CASE("latency is drawn when a message sets out") {
  const EngineKind kind = GENERATE(EngineKind::hybrid, EngineKind::simgrid);
  const auto both = [&](std::vector<ChangeSpec> changes) {
    return push_and_pull(pushes(1, 1e-3), std::move(changes), kind);
  };
  CHECK(close_to(both({}), 2.004) < 1e-9);
  // During the alpha phase of the push: it keeps its latency. The pull uses other links, or has the new latency.
  CHECK(close_to(both({link_takes(5e-4, "node0.up", 0.5)}), 2.004) < 1e-9);
  CHECK(close_to(both({link_takes(5e-4, "node0.down", 0.5)}), 2.503) < 1e-9);
  CHECK(close_to(both({link_takes(0.5, "node0.down", 0)}), 2.003) < 1e-9);
  CHECK(close_to(both({link_takes(0, "node0.up", 0.5)}), 2.503) < 1e-9);
  // A bandwidth changed during the alpha phase applies to all bytes.
  CHECK(close_to(both({link_has(1e-3, "node0.up", 5e8)}), 3.004) < 1e-9);
  // At the moment when the push ends, the pull has already started.
  Scenario exact = pushes(1);
  CHECK(push_and_pull(exact, {link_takes(1, "node0.down", 0.5)}, kind) == 2);
  CHECK(push_and_pull(exact, {link_takes(0.75, "node0.down", 0.5)}, kind) == 2.5);
}

TEST_CASE("work goes on at the speed of its place") {
  const EngineKind kind = GENERATE(EngineKind::hybrid, EngineKind::simgrid);
  const auto computing = [&](std::vector<ChangeSpec> changes) {
    return push_and_pull(pushes(1, 0, 2), std::move(changes), kind) - 2;
  };
  CHECK(close_to(computing({node_computes(0.5, 0, 0.5)}), 3.5) < 1e-9);
  CHECK(close_to(computing({node_computes(0.5, 0, 0.5), node_computes(1.5, 0, 1)}), 2.5) < 1e-9);
  CHECK(close_to(computing({node_computes(2.5, 0, 0.5)}), 2) < 1e-9);
  ChangeSpec stands = node_computes(0.5, 0, 1), goes_on = stands;
  stands.compute_speed.reset();
  stands.nodes.clear();
  stands.gpu = 0;
  stands.up = false;
  goes_on = stands;
  goes_on.at = Seconds(1.5);
  goes_on.up = true;
  CHECK(close_to(computing({stands, goes_on}), 3) < 1e-9);
}

TEST_CASE("what is on a link that goes down waits, and goes on where it was") {
  const auto up = [&](std::vector<ChangeSpec> changes) {
    return push_and_pull(pushes(1), std::move(changes), EngineKind::hybrid) - 1;
  };
  CHECK(up({link_is(0.5, "node0.up", false), link_is(0.75, "node0.up", true)}) == 1.25);
  CHECK(up({link_is(0, "node0.up", false), link_is(0.75, "node0.up", true)}) == 1.75);
  // A message that ends at this moment is complete. The bandwidth of a link that is down applies once it is up.
  CHECK(up({link_is(1, "node0.up", false)}) == 1);
  CHECK(up({link_is(0.5, "node0.up", false), link_has(0.625, "node0.up", 5e8), link_is(0.75, "node0.up", true)}) ==
        1.75);
  // Other flows use its share meanwhile: 0.5 + 0.25 s, then the rest of both.
  CHECK(push_and_pull(pushes(2), {link_is(0.5, "node0.up", false), link_is(0.75, "node0.up", true)},
                      EngineKind::hybrid) == 4);
}

TEST_CASE("who waits for a link that never comes back fails, and names it") {
  Scenario s = pushes(1);
  s.changes = {link_is(0.5, "node0.up", false), link_has(0.6, "node1.up", 5e8, 1.0)};
  if (GENERATE(false, true)) s.traffic = {steady_flow("beside", 1, 0)}; // never ends
  const ForkedRun outcome = run(s, EngineKind::hybrid);
  CHECK(outcome.failed);
  CHECK(outcome.message.find("permanently down: node0.up") != std::string::npos);
  ChangeSpec gpu;
  gpu.at = Seconds(0.5);
  gpu.gpu = 0;
  gpu.up = false;
  Scenario computes = pushes(1, 0, 2);
  computes.changes = {gpu};
  CHECK(run(computes, EngineKind::hybrid).failed);
}

namespace {

/// Two nodes at 1e9 bytes/s compute for 0.2 s, and exchange 1e9 bytes in a ring: each step sends 0.5e9 bytes in both
/// directions.
Scenario ring_of_two(std::vector<ChangeSpec> changes) {
  Scenario s = star(2, 250'000'000, Algorithm::ring, 0);
  s.platform.network.link = {ByteRate(1e9), Seconds(0), {}, {}};
  s.workload.layers[0].backward = 0.2;
  s.changes = std::move(changes);
  return s;
}

} // namespace

TEST_CASE("a ring that begins while one of its links is down fails as without shortcuts, or waits for it") {
  for (const double down : {0.0, 0.05, 0.2}) {
    Scenario s = ring_of_two({link_is(down, "node0.up", false)});
    const ForkedRun with = run(s, EngineKind::hybrid);
    s.engine.shortcuts = false;
    const ForkedRun without = run(s, EngineKind::hybrid);
    INFO(with.message);
    CHECK(with.failed);
    CHECK(with.message == without.message);
    // node1.up has sent its first 0.5e9 bytes at 0.2 + 0.5 s.
    CHECK(with.message ==
          fmt::format("deadlock at 0.7 s: 4 of 4 streams did not finish; permanently down: node0.up (since "
                      "{} s)",
                      down));
  }
  // 0.2 s of compute, 0.8 s of waiting, two steps of 0.5 s.
  CHECK(run(ring_of_two({link_is(0.05, "node0.up", false), link_is(1, "node0.up", true)}), EngineKind::hybrid).time ==
        Approx(2).epsilon(1e-12));
}

TEST_CASE("a deadlock is dated from what stopped last, and names GPUs that are down") {
  const auto message = [](const Scenario& s, std::vector<ChangeSpec> changes) {
    Scenario changed = s;
    changed.changes = std::move(changes);
    const ForkedRun outcome = run(changed, EngineKind::hybrid);
    CHECK(outcome.failed);
    return outcome.message;
  };
  const auto gpu_is = [](double at, int gpu, bool up) {
    ChangeSpec change;
    change.at = Seconds(at);
    change.gpu = gpu;
    change.up = up;
    return change;
  };
  const auto nodes_are_down = [](double at, std::vector<int> nodes) {
    ChangeSpec change;
    change.at = Seconds(at);
    change.nodes = std::move(nodes);
    change.up = false;
    return change;
  };
  const std::string of_all = ": 4 of 4 streams did not finish; permanently down: ";
  // 1e9 bytes both ways from 0 s on, which would take 1 s.
  Scenario both_ways = ring_of_two({});
  training(both_ways).exchange.algorithm = Algorithm::recursive_doubling;
  both_ways.workload.layers[0].backward = 0;
  CHECK(message(both_ways, {link_is(0.3, "node1.up", false), link_is(0.4, "node0.up", false)}) ==
        "deadlock at 0.4 s" + of_all + "node0.up (since 0.4 s), node1.up (since 0.3 s)");
  // Later failures stop nothing, and neither does a link that is up again.
  CHECK(message(both_ways, {link_is(0.3, "node1.up", false), link_is(0.35, "node1.up", true),
                            link_is(0.4, "node0.up", false), gpu_is(5, 0, false)}) ==
        "deadlock at 1.05 s" + of_all + "node0.up (since 0.4 s)");
  // The other GPU computes until 0.2 s, and then waits.
  Scenario computes = ring_of_two({});
  CHECK(message(computes, {gpu_is(0.05, 0, false)}) == "deadlock at 0.2 s" + of_all + "GPU 0 of node 0 (since 0.05 s)");
  CHECK(message(computes, {gpu_is(0.05, 0, false), gpu_is(0.1, 0, true), gpu_is(0.24, 0, false)}) ==
        "deadlock at 0.24 s" + of_all + "GPU 0 of node 0 (since 0.24 s)"); // 0.01 s before its end
  // Nothing else is running, so links are not examined.
  CHECK(message(computes, {nodes_are_down(0.05, {0, 1})}) ==
        "deadlock at 0.05 s" + of_all + "nodes 0-1 (since 0.05 s)");
  CHECK(message(computes, {nodes_are_down(0.5, {0})}) == "deadlock at 0.5 s" + of_all + "node 0 (since 0.5 s)");
  // Other traffic without an end does not prevent the end of the run.
  computes.traffic = {steady_flow("beside", 1, 0)};
  CHECK(message(computes, {gpu_is(0.05, 0, false)}) == "deadlock at 0.2 s" + of_all + "GPU 0 of node 0 (since 0.05 s)");
}

namespace {

/// Changes some links and nodes at random during the scenario, once or repeatedly.
void change_at_random(Scenario& s, Dice& dice, double span) {
  const Platform platform = build_platform(s.platform, extra_nodes(s));
  const auto links = static_cast<int>(platform.links().size());
  const std::optional<double> period = dice.chance(30) ? std::optional(span * dice.real(0.3, 1)) : std::nullopt;
  for (int i = dice.in(1, 6); i > 0; --i) {
    const auto link = static_cast<std::size_t>(dice.in(0, links - 1));
    const double at = (period ? *period : span) * dice.real(0, 0.99);
    const DirectedLink& l = platform.links()[link];
    ChangeSpec change = link_has(at, l.name, l.bandwidth * dice.real(0.2, 3), period);
    if (dice.chance(30)) {
      change.bandwidth.reset();
      change.latency = Seconds(dice.real(0, 2e-4));
    } else if (dice.chance(30)) {
      change.link.clear();
      change.bandwidth.reset();
      change.nodes = {dice.in(0, s.platform.nodes - 1)};
      change.compute_speed = dice.real(0.3, 2);
    }
    s.changes.push_back(change);
  }
  std::ranges::stable_sort(s.changes, {}, [](const ChangeSpec& c) { return c.at.value(); });
  // Leaves out the later of two changes with the same target and time, and changes that violate another rule.
  for (std::size_t i = 0; i < s.changes.size();) {
    std::vector<PlatformError> errors;
    const std::span<const ChangeSpec> first = std::span(s.changes).first(i + 1);
    find_changes({first.begin(), first.end()}, s.platform, platform, errors);
    if (errors.empty())
      ++i;
    else
      s.changes.erase(s.changes.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// If rounding decides the order of arrivals, engines may differ. Separate tests cover those scenarios.
Scenario changing_scenario(std::uint32_t seed) {
  Scenario s = random_scenario(seed);
  if (build_platform(s.platform, extra_nodes(s)).links().empty()) return s;
  Dice dice(seed + 7);
  change_at_random(s, dice, run(s, EngineKind::hybrid).time);
  return s;
}

} // namespace

TEST_CASE("both engines give the same times where links and nodes change") {
  REQUIRE(rc::check("hybrid = simgrid within 1e-9", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const Scenario s = changing_scenario(seed);
    const ForkedRun hybrid = run(s, EngineKind::hybrid), reference = run(s, EngineKind::simgrid);
    RC_LOG() << "seed " << seed << " changes " << s.changes.size() << "\n";
    assert_same_times(hybrid, reference);
  }));
}

TEST_CASE("shortcuts stop at changes of their links") {
  REQUIRE(rc::check("with shortcuts = without", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    Dice dice(seed);
    Scenario s = star(dice.in(2, 9), dice.in(1, 300'000), Algorithm::ring);
    training(s).iterations = dice.in(1, 4);
    s.workload.layers[0].backward = dice.real(0, 1e-3);
    if (dice.chance(30)) s.platform.rate_while_computing = dice.real(0.5, 1);
    change_at_random(s, dice, run(s, EngineKind::hybrid).time * dice.real(0.5, 2));
    const ForkedRun with = run(s, EngineKind::hybrid);
    s.engine.shortcuts = false;
    const ForkedRun without = run(s, EngineKind::hybrid);
    RC_LOG() << "seed " << seed << " with " << with.time << " without " << without.time << "\n";
    RC_ASSERT(std::abs(with.time - without.time) <= 1e-12 * without.time);
    RC_ASSERT(with.messages == without.messages);
  }));
}

TEST_CASE("a change of no link in use, or after the end, leaves the bits as they are") {
  Scenario s = star(8, 1'000'000, Algorithm::ring);
  training(s).iterations = 3;
  const ForkedRun plain = run(s, EngineKind::hybrid);
  Scenario later = s;
  later.changes = {link_has(plain.time * 1.5, "node0.up", 1e6)};
  CHECK(run(later, EngineKind::hybrid).time == plain.time);
  Scenario server = star(8, 1'000'000, Algorithm::binomial_tree);
  const ForkedRun tree = run(server, EngineKind::hybrid);
  server.changes = {link_has(tree.time / 3, "node7.down", 2e9)}; // faster than its sender
  CHECK(run(server, EngineKind::hybrid).time == tree.time);
}

TEST_CASE("the two drivers of the hybrid engine give the same bits where links change") {
  REQUIRE(rc::check("own loop == SimGrid's clock", [] {
    Scenario s = changing_scenario(*rc::gen::arbitrary<std::uint32_t>());
    s.engine.kind = EngineKind::hybrid;
    s.engine.shortcuts = *rc::gen::arbitrary<bool>();
    const ForkedRun loop = run(s), clock = run_on_simgrid_clock(s);
    RC_ASSERT(!loop.failed);
    RC_ASSERT(!clock.failed);
    RC_ASSERT(clock.time == loop.time);
    RC_ASSERT(clock.path == loop.path);
    RC_ASSERT(clock.ends == loop.ends);
  }));
}

namespace {

PlatformChange speed_is(double at, double speed, double period) {
  PlatformChange change;
  change.what = PlatformChange::What::compute_speed;
  change.at = at;
  change.period = period;
  change.value = speed;
  return change;
}

} // namespace

TEST_CASE("long work passes many periods at once, to the same end as one by one") {
  const Platform platform = build_platform(pushes(1).platform, 0);
  const std::vector<PlatformChange> changes = {speed_is(0.25, 0.5, 1), speed_is(0.75, 1, 1)};
  const Speeds speeds(changes, platform);
  // 0.75 s of work per second.
  CHECK(close_to(speeds.end(0, 0, 0.75), 1) < 1e-12);
  CHECK(close_to(speeds.end(0, 0, 750'000), 1e6) < 1e-9);
  CHECK(close_to(speeds.end(0, 0.5, 750'000), 1e6 + 0.5) < 1e-9);
  CHECK(speeds.end(0, 0, 0.125) == 0.125);
}

TEST_CASE("a speed that repeats changes at the times at which its changes come") {
  const Platform platform = build_platform(pushes(1).platform, 0);
  // Not a multiple of a power of two: the time within a period, by subtraction, is sometimes before the change.
  const std::vector<PlatformChange> changes = {speed_is(0.1, 0.5, 0.3), speed_is(0.2, 1, 0.3)};
  const Speeds speeds(changes, platform);
  double speed = 1;
  for (double time = speeds.next(0, 0); time < 300; time = speeds.next(0, time)) {
    speed = speed < 1 ? 1 : 0.5;
    REQUIRE(speeds.rate(0, time) == speed);
  }
  // 0.25 s of work in each period of 0.3 s.
  for (const double periods : {1.0, 4.0, 80.0, 1e6})
    CHECK(close_to(speeds.end(0, 0, 0.25 * periods), 0.3 * periods) < 1e-12);
}
