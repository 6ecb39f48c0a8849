// Lifetimes of jobs that restart: Daly's formula, jobs that cannot go on, spares, nodes that wait.
#include "models/forms/checkpoint_interval.hpp"
#include "sim/recovery/lifetime.hpp"
#include "sim/result/result.hpp"
#include "tests/sim/recovery/failing_parts.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace gradflight;

TEST_CASE("waste at Daly's interval is Daly's") {
  // 60 nodes of 600,000 s each: a failure every 10,000 s; each node is replaced immediately.
  constexpr double mtbf = 10'000, write = 8, restart = 20, period = 1;
  const auto components = nodes_and_links(60, 0);
  FailureSpec failures;
  failures.at(ComponentKind::node).emplace();
  failures.at(ComponentKind::node)->mtbf = Seconds(60 * mtbf);
  failures.at(ComponentKind::node)->mttr = Seconds(0);
  const IterationTimes times(period);
  LifetimeSetup setup;
  setup.iterations = 200'000'000; // 20,000 failures
  setup.write = write;
  setup.read = restart;
  const auto waste = [&](double interval) {
    setup.every = static_cast<std::int64_t>(interval);
    Outages outages(failures, components, 0);
    const LifeEnd end = live(times, setup, outages, components);
    REQUIRE(end.why_not.empty());
    REQUIRE(end.life.failure_count() > 10'000);
    return end.life.elapsed / end.life.useful - 1;
  };
  const double best = std::floor(daly_interval(write, mtbf));
  const double expected = daly_time(1, best, write, restart, mtbf) - 1, simulated = waste(best);
  INFO(simulated / expected);
  CHECK(std::abs(simulated - expected) <= 0.02 * expected);
  for (const double factor : {0.25, 0.5, 0.7, 0.85, 1.2, 1.4, 2.0, 4.0}) CHECK(waste(best * factor) >= 0.98 * expected);
}

TEST_CASE("a job that cannot go on says so") {
  const auto components = nodes_and_links(2, 0);
  const IterationTimes times(1.0);
  LifetimeSetup setup;
  setup.iterations = 1'000'000;
  FailureSpec failures;
  failures.at(ComponentKind::node).emplace();
  failures.at(ComponentKind::node)->mtbf = Seconds(50);
  {
    Outages outages(failures, components, 0); // never repaired
    CHECK_THAT(live(times, setup, outages, components).why_not, Catch::Contains("never repaired: node"));
  }
  failures.at(ComponentKind::node)->mttr = Seconds(0);
  {
    setup.time_limit = 1e5;
    Outages outages(failures, components, 0); // no checkpoints
    const LifeEnd end = live(times, setup, outages, components);
    CHECK_THAT(end.why_not, Catch::Contains("limits.simulated_time") && Catch::Contains("0 of 1000000 iterations"));
    CHECK(end.life.elapsed >= 1e5);
  }
  {
    setup.every = 10;
    setup.time_limit.reset();
    setup.write = 1;
    Outages outages(failures, components, 0);
    CHECK(live(times, setup, outages, components).why_not.empty());
  }
}

TEST_CASE("spares take the place of nodes, not of links") {
  const auto components = nodes_and_links(4, 1);
  const IterationTimes times(1.0);
  LifetimeSetup setup;
  setup.iterations = 20'000;
  setup.every = 20;
  const auto repairs = [&](double node_mtbf, double link_mtbf, int spares) {
    setup.spares = spares;
    const FailureSpec failures = rates(node_mtbf, link_mtbf, 100, 1);
    Outages outages(failures, components, 0);
    return live(times, setup, outages, components).life.at(Loss::repair);
  };
  CHECK(repairs(4000, 1e12, 0) > 0);
  CHECK(repairs(4000, 1e12, 20) == 0);
  CHECK(repairs(1e12, 1000, 20) > 0);
}

namespace {

/// Components that fail about when they are as old as their mean (a Weibull's shape of 100), with constant repairs.
FailureRate about(double seconds, double repair) {
  FailureRate rate;
  rate.mtbf = Seconds(seconds);
  rate.shape = 100;
  rate.mttr = Seconds(repair);
  rate.constant_repair = true;
  return rate;
}

/// Returns the first `count` outages.
std::vector<Outage> first_outages(const FailureSpec& failures, const std::vector<Component>& components, int count) {
  Outages outages(failures, components, 0);
  std::vector<Outage> first;
  for (int i = 0; i < count; ++i) first.push_back(outages.take());
  return first;
}

} // namespace

TEST_CASE("a node that waits takes the first spare that is repaired") {
  // Node 0 fails at about 1000 s and a spare replaces it. Node 1's GPU fails at about 1180 s and no spare is left. Node
  // 0 is repaired 300 s after its failure, the GPU only after 5000 s: node 0 replaces node 1 at about 1300 s.
  std::vector<Component> components = nodes_and_links(1, 0);
  components.push_back({ComponentKind::gpu, 1, "GPU 1", {}, {}, 1});
  FailureSpec failures;
  failures.at(ComponentKind::node) = about(1000, 300);
  failures.at(ComponentKind::gpu) = about(1180, 5000);
  const bool nic_fails = GENERATE(false, true);
  if (nic_fails) { // another part of the waiting node, at about 1260 s: the same spare replaces it
    components.push_back({ComponentKind::nic, 1, "NIC 1", {}, {}, 1});
    failures.at(ComponentKind::nic) = about(1260, 5000);
  }
  const auto first = first_outages(failures, components, nic_fails ? 3 : 2);
  for (std::size_t i = 0; i < first.size(); ++i) REQUIRE(first[i].component == i);
  REQUIRE(first.back().at < first[0].until);
  LifetimeSetup setup;
  setup.iterations = 1300;
  setup.every = 10;
  setup.spares = 1;
  Outages outages(failures, components, 0);
  const LifeEnd end = live(IterationTimes(1.0), setup, outages, components);
  REQUIRE(end.why_not.empty());
  CHECK(end.life.failure_count() == static_cast<std::int64_t>(first.size()));
  CHECK(end.life.at(Loss::repair) == Approx(first[0].until - first[1].at).epsilon(1e-12));
}

TEST_CASE("a job with too few nodes takes the first node that is repaired") {
  // Of two nodes, the job needs one. Node 0 fails at about 1000 s and is missing for 300 s. Node 1's GPU fails at about
  // 1200 s and is repaired after 5000 s. The job continues on node 0 at about 1300 s.
  std::vector<Component> components = nodes_and_links(1, 0);
  components[0].node = 0;
  components.push_back({ComponentKind::gpu, 1, "GPU 1", {}, {}, 1});
  FailureSpec failures;
  failures.at(ComponentKind::node) = about(1000, 300);
  failures.at(ComponentKind::gpu) = about(1200, 5000);
  const auto first = first_outages(failures, components, 2);
  REQUIRE((first[0].component == 0 && first[1].component == 1 && first[0].until > first[1].at));
  LifetimeSetup setup;
  setup.iterations = 1300;
  setup.every = 10;
  setup.nodes = 2;
  setup.least_nodes = 1;
  const Pace one{IterationTimes(1.0), 0, 0};
  setup.pace = [&](int /*nodes*/) -> const Pace& { return one; };
  Outages outages(failures, components, 0);
  const LifeEnd end = live(one.times, setup, outages, components);
  REQUIRE(end.why_not.empty());
  CHECK(end.life.at(Loss::repair) == Approx(first[0].until - first[1].at).epsilon(1e-12));
  CHECK(end.life.fewest_nodes == 1);
}
