// A list of jobs on a network: each is the same as alone, for any number of iterations and any placement.
#include "sim/queue_samples.hpp"
#include "sim/queued_jobs.hpp"

#include "scenarios/language/types/jobs.hpp"
#include "sim/engine/streams/failure.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_scenario.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

ListedJob listed(double arrival, int gpus, std::int64_t iterations) {
  ListedJob job;
  job.name = "j";
  job.arrival = Seconds(arrival);
  job.gpus = gpus;
  job.iterations = iterations;
  return job;
}

Scenario ring_queue(int nodes, std::vector<ListedJob> jobs, QueuePolicy policy = QueuePolicy::fcfs) {
  Scenario s = star(nodes, 1'000'000, Algorithm::ring);
  s.workload.layers[0].forward = 0.01;
  s.workload.layers[0].backward = 0.02;
  s.queue.emplace();
  s.queue->policy = policy;
  s.queue->list = std::move(jobs);
  return s;
}

RunResult run_list(const Scenario& s) { return simulate(s, build_platform(s.platform, extra_nodes(s))); }

/// Simulates the job on these GPUs, iteration by iteration.
RunResult run_whole(const Scenario& s, std::vector<int> gpus, std::int64_t iterations) {
  Scenario one = listed_job(s, std::move(gpus));
  one.phases.back().training.iterations = iterations;
  return simulate(one, build_platform(one.platform, 0));
}

/// Returns the GPUs of each job in the list, derived from the starts and ends.
std::vector<std::vector<int>> gpus_of(const Scenario& s, const RunResult& result) {
  std::vector<std::size_t> by_start(result.jobs.size());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::ranges::stable_sort(by_start, {}, [&](std::size_t j) { return result.jobs[j].start; });
  std::vector<std::vector<int>> gpus(result.jobs.size());
  for (std::size_t i = 0; i < by_start.size(); ++i) {
    std::vector<bool> taken(static_cast<std::size_t>(s.platform.nodes * s.platform.gpus_per_node), false);
    const JobRun& job = result.jobs[by_start[i]];
    for (std::size_t before = 0; before < i; ++before) {
      const JobRun& other = result.jobs[by_start[before]];
      if (other.start + other.run.time > job.start)
        for (const int gpu : gpus[by_start[before]]) taken[static_cast<std::size_t>(gpu)] = true;
    }
    std::vector<int> free;
    for (std::size_t gpu = 0; gpu < taken.size(); ++gpu)
      if (!taken[gpu]) free.push_back(static_cast<int>(gpu));
    JobSpec taking;
    taking.count = job.queued->gpus;
    taking.placement = s.queue->placement;
    taking.seed = s.queue->seed + static_cast<std::int64_t>(by_start[i]);
    gpus[by_start[i]] = take_gpus(s.platform, free, taking);
  }
  return gpus;
}

/// Simulates the same jobs at the same times on the same GPUs, message by message.
RunResult run_side_by_side(const Scenario& s, const RunResult& result) {
  const auto gpus = gpus_of(s, result);
  Scenario all = s;
  all.queue.reset();
  all.phases.clear();
  for (std::size_t j = 0; j < result.jobs.size(); ++j) {
    JobSpec job;
    job.name = result.jobs[j].name + std::to_string(j);
    job.workload = s.workload;
    job.phases = s.phases;
    job.phases.back().training.iterations = result.jobs[j].queued->iterations;
    job.ranks = gpus[j];
    job.start = Seconds(result.jobs[j].start);
    all.jobs.push_back(std::move(job));
  }
  return simulate(all, build_platform(all.platform, 0));
}

bool close_to(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

} // namespace

TEST_CASE("a job of a list takes what it takes alone, iteration by iteration") {
  const std::int64_t iterations = GENERATE(1, 3, 7, 8, 9, 200);
  const int every = GENERATE(1, 2, 5, 16);
  Scenario s = ring_queue(8, {listed(0.5, 4, iterations)});
  s.phases.back().training.every = every;
  const RunResult result = run_list(s), whole = run_whole(s, {0, 1, 2, 3}, iterations);
  REQUIRE(result.jobs.size() == 1);
  const JobRun& job = result.jobs[0];
  CHECK(job.start == 0.5);
  CHECK(close_to(job.run.time, whole.time));
  CHECK(job.run.messages == whole.messages);
  CHECK(close_to(job.run.wire_bytes, whole.wire_bytes));
  CHECK(close_to(std::accumulate(job.run.path.begin(), job.run.path.end(), 0.0), job.run.time));
  CHECK(close_to(result.time, 0.5 + whole.time));
  REQUIRE(result.queue);
  CHECK(close_to(result.queue->utilisation, 0.5));
  CHECK(result.queue->unsteady == 0);
}

TEST_CASE("jobs that wait start as others end, and jobs alike are simulated once") {
  const Scenario s = ring_queue(4, {listed(0, 4, 100), listed(0, 2, 50), listed(0, 2, 50), listed(0, 4, 100)});
  const RunResult result = run_list(s);
  const double four = run_whole(s, {0, 1, 2, 3}, 100).time, two = run_whole(s, {0, 1}, 50).time;
  CHECK(close_to(result.jobs[1].start, four));
  CHECK(close_to(result.jobs[2].start, four));
  CHECK(close_to(result.jobs[3].start, four + two));
  CHECK(close_to(result.time, 2 * four + two));
  CHECK(close_to(result.queue->utilisation, 1));
  CHECK(result.queue->shapes == 2);
  for (const JobRun& job : result.jobs) CHECK(job.queued->shared_with == 0);
  REQUIRE(result.queue->moments.size() == 4);
  CHECK(result.queue->moments[0].jobs_waiting == 3);
  CHECK(result.queue->moments[1].jobs_waiting == 1);
  CHECK(result.queue->moments.back().gpus_busy == 0);
}

TEST_CASE("a recorded run time holds as many iterations as end within it, and at least one") {
  const Scenario s = ring_queue(4, {listed(0, 4, 1)});
  const double ten = run_whole(s, {0, 1, 2, 3}, 10).time, eleven = run_whole(s, {0, 1, 2, 3}, 11).time;
  const auto iterations_in = [&](double seconds) {
    Scenario recorded = s;
    recorded.queue->list[0].iterations.reset();
    recorded.queue->list[0].run_time = Seconds(seconds);
    return run_list(recorded).jobs[0].queued->iterations;
  };
  CHECK(iterations_in((ten + eleven) / 2) == 10);
  CHECK(iterations_in(ten * (1 - 1e-12)) == 10); // rounding
  CHECK(iterations_in(1e-6) == 1);
}

TEST_CASE("jobs with links in common are told, and others are not") {
  Scenario s = ring_queue(4, {listed(0, 3, 10), listed(0, 3, 10), listed(0, 2, 10)});
  s.platform.gpus_per_node = 2; // with one NIC: the first two jobs share node 1's
  const RunResult result = run_list(s);
  CHECK(result.jobs[0].queued->shared_with == 1);
  CHECK(result.jobs[1].queued->shared_with == 1);
  CHECK(result.jobs[2].queued->shared_with == 0);
}

TEST_CASE("places of one shape take one time, wherever they lie") {
  REQUIRE(rc::check("placement_shape", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    Scenario s = ring_queue(8, {listed(0, 1, 1)});
    s.platform.gpus_per_node = dice.in(1, 2);
    if (dice.chance(70)) {
      s.platform.network.topology = Topology::racks;
      s.platform.network.racks.nodes_per_rack = dice.one_of<int>({2, 3, 4});
      s.platform.network.racks.oversubscription = dice.in(1, 4);
    }
    const auto draw_gpus = [&](int count) {
      std::vector<int> all(static_cast<std::size_t>(8 * s.platform.gpus_per_node));
      std::iota(all.begin(), all.end(), 0);
      for (std::size_t i = 0; i + 1 < all.size(); ++i)
        std::swap(all[i],
                  all[static_cast<std::size_t>(dice.in(static_cast<int>(i), static_cast<int>(all.size()) - 1))]);
      all.resize(static_cast<std::size_t>(count));
      return all;
    };
    const int count = dice.in(1, 4);
    const std::vector<int> here = draw_gpus(count);
    for (int attempt = 0; attempt < 50; ++attempt) {
      const std::vector<int> there = draw_gpus(count);
      if (placement_shape(s.platform, here) != placement_shape(s.platform, there)) continue;
      RC_ASSERT(close_to(run_whole(s, here, 2).time, run_whole(s, there, 2).time));
      return;
    }
  }));
  Scenario uneven = ring_queue(4, {listed(0, 1, 1)});
  CHECK(placement_shape(uneven.platform, {0, 1}) == placement_shape(uneven.platform, {3, 2}));
  uneven.platform.node_overrides.push_back({.nodes = {3}, .compute_speed = 0.5});
  CHECK(placement_shape(uneven.platform, {0, 1}) != placement_shape(uneven.platform, {3, 2}));
}

TEST_CASE("limits hold for a list as a whole and for each job") {
  Scenario late = ring_queue(2, {listed(0, 2, 1000)});
  late.limits.simulated_time = Seconds(1);
  CHECK_THROWS_AS(run_list(late), SimulationFailure);
  Scenario many = ring_queue(2, {listed(0, 2, 1000)});
  many.engine.shortcuts = false;
  many.limits.messages = 1;
  CHECK_THROWS_AS(run_list(many), SimulationFailure);
}

namespace {

/// The first job has nodes 0 to 2, and the second 3 to 5: both use rack 1.
Scenario two_racks_shared(std::vector<ListedJob> jobs) {
  Scenario s = ring_queue(6, std::move(jobs));
  s.platform.network.topology = Topology::racks;
  s.platform.network.racks.nodes_per_rack = 2;
  s.platform.network.racks.oversubscription = 4;
  return s;
}

/// Jobs that sometimes load each other's links.
Scenario crowded(std::uint32_t seed) {
  Dice dice(seed);
  Scenario s = ring_queue(12, {});
  s.platform.gpus_per_node = dice.in(1, 2);
  s.platform.network.topology = Topology::racks;
  s.platform.network.racks.nodes_per_rack = dice.one_of<int>({2, 3, 4});
  s.platform.network.racks.oversubscription = dice.in(1, 4);
  s.queue->placement =
      dice.one_of<JobPlacement>({JobPlacement::packed, JobPlacement::round_robin, JobPlacement::random});
  s.queue->policy = dice.one_of<QueuePolicy>({QueuePolicy::fcfs, QueuePolicy::backfill});
  s.workload.layers[0].forward = dice.in(0, 10) * 0.001;
  double at = 0;
  for (int j = dice.in(2, 8); j > 0; --j)
    s.queue->list.push_back(listed(at += dice.in(0, 10) * 0.1, dice.in(2, 8), dice.in(20, 200)));
  return s;
}

} // namespace

TEST_CASE("jobs of a list that begin together on common links take what they take side by side") {
  const Scenario s = two_racks_shared({listed(0, 3, 300), listed(0, 3, 300), listed(30, 3, 100)});
  const RunResult list = run_list(s), all = run_side_by_side(s, list);
  CHECK(list.queue->companies == 1);
  CHECK(list.queue->unsteady == 0);
  for (std::size_t j = 0; j < 2; ++j) {
    CHECK(close_to(list.jobs[j].run.time, all.jobs[j].run.time));
    CHECK(list.jobs[j].run.time > 1.1 * *list.jobs[j].alone_time);
    CHECK(at(list.jobs[j].run.path, Part::contention) > 0);
  }
  // The third begins after their end.
  CHECK(list.jobs[2].run.time == *list.jobs[2].alone_time);
  CHECK(close_to(list.jobs[2].run.time, all.jobs[2].run.time));
}

TEST_CASE("a job of a list goes on at its own pace when another has left its links") {
  const Scenario s = two_racks_shared({listed(0, 3, 400), listed(0, 3, 100)});
  const RunResult list = run_list(s), all = run_side_by_side(s, list);
  CHECK(close_to(list.jobs[0].run.time, all.jobs[0].run.time));
  CHECK(close_to(list.jobs[1].run.time, all.jobs[1].run.time));
}

TEST_CASE("a job of a list that exchanges in each third step goes on within its cycle") {
  Scenario s = two_racks_shared({listed(0, 3, 400), listed(0, 3, 100)});
  s.phases.back().training.every = 3;
  const RunResult list = run_list(s), all = run_side_by_side(s, list);
  CHECK(list.queue->unsteady == 0);
  for (std::size_t j = 0; j < 2; ++j) CHECK(close_to(list.jobs[j].run.time, all.jobs[j].run.time));
}

TEST_CASE("a list whose jobs share nothing, or are said to, is one of jobs alone") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Scenario s = crowded(seed);
    s.queue->network = QueueNetwork::alone;
    for (const JobRun& job : run_list(s).jobs) CHECK(job.run.time == *job.alone_time);
    s.platform.network.topology = Topology::star;
    s.platform.gpus_per_node = 1;
    const RunResult apart = run_list(s);
    s.queue->network = QueueNetwork::shared;
    const RunResult shared = run_list(s);
    CHECK(shared.queue->companies == 0);
    for (std::size_t j = 0; j < apart.jobs.size(); ++j) {
      CHECK(shared.jobs[j].start == apart.jobs[j].start);
      CHECK(shared.jobs[j].run.time == apart.jobs[j].run.time);
    }
  }
}

// The interaction of jobs depends on their positions within iterations, which are approximate (docs/jobs.md).
TEST_CASE("jobs of lists that load each other take about what they take side by side") {
  double off = 0, off_by_ignoring = 0, times = 0, all_times = 0;
  int jobs = 0;
  for (std::uint32_t seed = 0; seed < (test::is_sanitized ? 12 : 100); ++seed) {
    const Scenario s = crowded(seed);
    const RunResult list = run_list(s), all = run_side_by_side(s, list);
    for (std::size_t j = 0; j < list.jobs.size(); ++j) {
      const RunResult& run = list.jobs[j].run;
      const double real = all.jobs[j].run.time;
      CHECK(run.time >= *list.jobs[j].alone_time * (1 - 1e-3));
      CHECK(close_to(std::accumulate(run.path.begin(), run.path.end(), 0.0), run.time));
      CHECK(std::abs(run.time - real) < 0.3 * real);
      off += std::abs(run.time - real) / real;
      off_by_ignoring += std::abs(*list.jobs[j].alone_time - real) / real;
      times += run.time;
      all_times += real;
      ++jobs;
    }
  }
  CAPTURE(off / jobs, off_by_ignoring / jobs, times / all_times);
  if (test::is_sanitized) return; // means of a few jobs are not meaningful
  CHECK(off / jobs < 0.01);
  CHECK(off < 0.25 * off_by_ignoring);
  CHECK(std::abs(times / all_times - 1) < 0.005);
}
