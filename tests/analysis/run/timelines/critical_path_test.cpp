// The chain of work and messages before a run's end, in simulated timelines.
#include "analysis/run/timelines/critical_path.hpp"

#include "tests/support/forked.hpp"
#include "tests/support/random_scenario.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

double check_chain(const std::vector<CriticalStep>& path, double end) {
  double waited = 0, at = 0;
  for (const CriticalStep& step : path) {
    RC_ASSERT(std::abs(step.begin - at) <= 1e-9 * end);
    RC_ASSERT(step.end >= step.begin);
    if (step.kind == CriticalStep::Kind::wait) waited += step.end - step.begin;
    at = step.end;
  }
  RC_ASSERT(std::abs(at - end) <= 1e-9 * end);
  return waited;
}

} // namespace

TEST_CASE("of a timeline of nothing there is no path") { CHECK(critical_path({}).empty()); }

TEST_CASE("the path goes from the receiver to the sender, or stays where the receiver came late") {
  Timeline t;
  t.intervals = {{0, 0, Activity::forward, 0, 0, 0, 1}, {1, 0, Activity::forward, 0, 0, 0, 3}};
  t.transfers = {{0, 1, 1, 0, 0, 1, 3, 5, 8, 3}}; // posted at 1, received from 3 on
  auto path = critical_path(t);
  REQUIRE(path.size() == 2);
  CHECK(path[0].rank == 1);
  CHECK(path[0].kind == CriticalStep::Kind::work);
  CHECK(path[1].kind == CriticalStep::Kind::message);
  t.intervals[1].end = 0.5; // the receiver was ready first
  t.transfers[0] = {0, 1, 1, 0, 0, 1, 1, 3, 8, 1};
  path = critical_path(t);
  REQUIRE(path.size() == 2);
  CHECK(path[0].rank == 0);
}

TEST_CASE("a ring's path has no holes, from its end back to its start") {
  CHECK(rc::check("rings", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    Scenario s = star(dice.in(2, 8), dice.in(1, 100) * 10'000, Algorithm::ring, dice.chance(50) ? 10e9 : 0);
    s.workload.layers[0].forward = dice.chance(50) ? 1e-3 : 0;
    s.workload.layers[0].backward = dice.chance(50) ? 2e-3 : 0;
    s.phases.back().training.iterations = dice.in(1, 3);
    Timeline timeline;
    SimulateOptions recorded;
    recorded.timeline = &timeline;
    const RunResult result = simulate(s, build_platform(s.platform, 0), recorded);
    RC_ASSERT(check_chain(critical_path(timeline), result.time) <= 1e-9 * result.time);
  }));
}
