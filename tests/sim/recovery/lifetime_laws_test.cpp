// Lifetimes of jobs that restart: Daly's formula, jobs that cannot go on, spares.
#include "models/forms/checkpoint_interval.hpp"
#include "sim/recovery/lifetime.hpp"
#include "sim/result/result.hpp"
#include "tests/sim/recovery/failing_parts.hpp"

#include <catch2/catch.hpp>
#include <cmath>

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
