// Iterations of hierarchies that are skipped: the same result as with all of them.
#include "sim/repeated_iterations.hpp"

#include "sim/engine/run_plans.hpp"
#include "sim/engine/streams/iteration_history.hpp"
#include "sim/training_plans.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_scenario.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Simulates all iterations of a scenario, one after another.
RunResult one_by_one(const Scenario& scenario, IterationHistory* history = nullptr) {
  const Platform platform = build_platform(scenario.platform, extra_nodes(scenario));
  EngineOptions options = engine_options(scenario, platform, {});
  options.history = history;
  TrainingPlans plans(scenario, platform);
  PlanSequence* const only[] = {&plans};
  return plans.result(run_plans(scenario.platform, platform, only, options));
}

/// Skips iterations like simulate(); returns nothing if that is not possible.
std::optional<RunResult> jumped(const Scenario& scenario) { return repeated_iterations(scenario, one_by_one); }

bool near(double x, double y, double scale) { return std::abs(x - y) <= 1e-9 * scale; }

bool same_parts(const Path& a, const Path& b, double scale) {
  return std::ranges::equal(a, b, [scale](double x, double y) { return near(x, y, scale); });
}

/// Compares critical paths, and the costs of links on them.
bool same_paths(const RunResult& a, const RunResult& b) {
  bool alike = a.iterations.size() == b.iterations.size();
  for (std::size_t i = 0; alike && i < b.iterations.size(); ++i)
    alike = same_parts(a.iterations[i].path, b.iterations[i].path, b.time);
  std::vector<double> differences(b.links.size());
  for (const LinkDelay& d : a.delays) differences[static_cast<std::size_t>(d.link)] += d.seconds;
  for (const LinkDelay& d : b.delays) differences[static_cast<std::size_t>(d.link)] -= d.seconds;
  return alike && same_parts(a.path, b.path, b.time) &&
         same_parts(a.iteration_path, b.iteration_path, b.iteration_time) &&
         std::ranges::all_of(differences, [&](double d) { return near(d, 0, b.time); });
}

/// Compares everything except the paths.
void require_same(const RunResult& a, const RunResult& b) {
  REQUIRE(near(a.time, b.time, b.time));
  REQUIRE(near(a.iteration_time, b.iteration_time, b.iteration_time));
  REQUIRE(near(a.compute_time, b.compute_time, b.iteration_time));
  REQUIRE(near(a.communication_time, b.communication_time, b.iteration_time));
  REQUIRE(near(a.exposed_communication_time, b.exposed_communication_time, b.iteration_time));
  REQUIRE(a.messages == b.messages);
  REQUIRE(near(a.payload_bytes, b.payload_bytes, b.payload_bytes));
  REQUIRE(near(a.wire_bytes, b.wire_bytes, b.wire_bytes));
  REQUIRE(near(a.received_bytes, b.received_bytes, b.wire_bytes));
  REQUIRE(near(std::accumulate(a.path.begin(), a.path.end(), 0.0), b.time, b.time));
  REQUIRE(a.iterations.size() == b.iterations.size());
  for (std::size_t i = 0; i < b.iterations.size(); ++i) REQUIRE(near(a.iterations[i].end, b.iterations[i].end, b.time));
  for (std::size_t l = 0; l < b.links.size(); ++l) {
    REQUIRE(near(a.links[l].bytes, b.links[l].bytes, b.wire_bytes));
    REQUIRE(near(a.links[l].busy, b.links[l].busy, b.time));
  }
}

Scenario groups_of_two(std::int64_t iterations) {
  Scenario s = star(8, 250'000, Algorithm::hierarchical);
  training(s).exchange.levels = {{2, GroupReduce::flat, GroupBroadcast::flat, false}};
  training(s).iterations = iterations;
  s.workload.layers[0].forward = 1e-4;
  s.workload.layers[0].backward = 2e-4;
  return s;
}

} // namespace

TEST_CASE("property: iterations of hierarchies that are jumped over come to the same as all of them") {
  int hierarchies = 0, jumps = 0, other_paths = 0;
  for (std::uint32_t seed = 0; hierarchies < (is_sanitized ? 12 : 150); ++seed) {
    Scenario s = random_scenario(seed);
    TrainingSpec& t = training(s);
    if (t.exchange.algorithm != Algorithm::hierarchical || s.workers() < 3) continue;
    t.overlap.kind = seed % 2 == 0 ? OverlapKind::none : OverlapKind::layerwise;
    t.streams = 1;
    t.selection.reset();
    t.iterations = 16 + seed % 20;
    if (!may_repeat_iterations(s, {})) continue;
    ++hierarchies;
    const std::optional<RunResult> all = jumped(s);
    if (!all) continue;
    ++jumps;
    INFO("seed " << seed);
    const RunResult each = one_by_one(s);
    require_same(*all, each);
    other_paths += same_paths(*all, each) ? 0 : 1;
  }
  CHECK(jumps > hierarchies / 2);   // otherwise nothing was tested
  CHECK(50 * other_paths <= jumps); // paths that tie: rounding decides
}

TEST_CASE("means of an iteration are those of the last phase") {
  const Scenario plain = groups_of_two(5);
  Scenario warm = plain;
  Phase before = warm.phases.back();
  before.name = "warm-up";
  before.training.iterations = 3;
  before.training.exchange = {};
  before.training.exchange.algorithm = Algorithm::binomial_tree;
  warm.phases.insert(warm.phases.begin(), before);
  const RunResult with = one_by_one(warm), without = one_by_one(plain);
  CHECK(with.time > 1.1 * without.time);
  CHECK(near(with.communication_time, without.communication_time, without.iteration_time));
  CHECK(near(with.exposed_communication_time, without.exposed_communication_time, without.iteration_time));
  CHECK(near(with.compute_time, without.compute_time, without.iteration_time));
}

TEST_CASE("simulate jumps over iterations of a hierarchy, unless shortcuts are off") {
  const Scenario s = groups_of_two(1000);
  REQUIRE(may_repeat_iterations(s, {}));
  const std::optional<RunResult> all = jumped(s);
  REQUIRE(all);
  const RunResult run = simulate(s, build_platform(s.platform, 0), {});
  CHECK(run.time == all->time);
  CHECK(run.iterations.size() == 1000);
  const RunResult each = one_by_one(s);
  require_same(run, each);
  CHECK(same_paths(run, each));
  Scenario off = s;
  off.engine.shortcuts = false;
  CHECK_FALSE(may_repeat_iterations(off, {}));
}

TEST_CASE("a warm-up phase is simulated as it is") {
  Scenario s = groups_of_two(40);
  s.phases.insert(s.phases.begin(), s.phases.front());
  s.phases.front().training.iterations = 3;
  s.phases.front().training.compression.ratio = 2;
  const std::optional<RunResult> all = jumped(s);
  REQUIRE(all);
  CHECK(all->iterations.size() == 43);
  require_same(*all, one_by_one(s));
}

TEST_CASE("iterations that may differ are never jumped over") {
  const auto may = [](const auto& change) {
    Scenario s = groups_of_two(100);
    change(s);
    return may_repeat_iterations(s, {});
  };
  CHECK(may([](Scenario&) {}));
  CHECK_FALSE(may([](Scenario& s) { training(s).iterations = 15; }));
  CHECK_FALSE(may([](Scenario& s) { training(s).every = 2; }));
  CHECK_FALSE(may([](Scenario& s) { training(s).streams = 2; }));
  CHECK_FALSE(may([](Scenario& s) { training(s).overlap.kind = OverlapKind::pipelined; }));
  CHECK_FALSE(may([](Scenario& s) { training(s).exchange.algorithm = Algorithm::parameter_server; }));
  CHECK_FALSE(may([](Scenario& s) { s.platform.jitter.emplace(); }));
  CHECK_FALSE(may([](Scenario& s) { s.traffic.push_back(steady_flow("f", 0, 1)); }));
  CHECK_FALSE(may([](Scenario& s) { s.changes.resize(1); }));
  CHECK_FALSE(may([](Scenario& s) { s.limits.simulated_time = Seconds(1); }));
  Timeline timeline;
  CHECK_FALSE(may_repeat_iterations(groups_of_two(100), {.timeline = &timeline}));
}

TEST_CASE("a history repeats where its last two whole iterations have the same events at the same times") {
  const auto history = [](const std::vector<double>& second) {
    IterationHistory h;
    double begin = 0;
    for (const std::vector<double>& times : {std::vector{1.0, 2.0}, std::vector{1.0, 2.5}, second, std::vector{7.0}}) {
      for (std::size_t i = 0; i < times.size(); ++i) h.happened(static_cast<std::uint32_t>(i), begin + times[i]);
      begin += 3;
      h.iteration_ended(begin);
    }
    return h.repeats();
  };
  CHECK(history({1.0, 2.5}));
  CHECK(history({1.0, 2.5 + 1e-15}));
  CHECK(history({1.0, 2.5, 3.0})); // an end that coincides with the beginning of the next iteration
  CHECK_FALSE(history({1.0, 2.6}));
  CHECK_FALSE(history({1.0, 2.5, 2.7}));
  CHECK_FALSE(history({1.0}));
  CHECK_FALSE(IterationHistory().repeats());
}
