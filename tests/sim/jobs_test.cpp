// Several jobs on one platform: exact shares of a link, both engines, jobs without shared links, and a single job in a
// list.
#include "sim/jobs.hpp"

#include "models/schedules/parts/collective.hpp"
#include "sim/engine/streams/failure.hpp"
#include "sim/training/rank_layout.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_scenario.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

using namespace gradflight;
using namespace gradflight::test;

namespace {

/// Returns a job with the star's workload and training on the given GPUs.
JobSpec job_like(const Scenario& one, std::string name, std::vector<int> gpus, double start = 0) {
  JobSpec job;
  job.name = std::move(name);
  job.workload = one.workload;
  job.phases = one.phases;
  job.ranks = std::move(gpus);
  job.start = Seconds(start);
  return job;
}

Scenario without_training(Scenario s) {
  s.workload = {};
  s.phases.clear();
  return s;
}

RunResult simulated_here(const Scenario& s) { return simulate(s, build_platform(s.platform, extra_nodes(s))); }

/// 2 to 4 jobs on a shared star or racks: any algorithm, any sizes, sometimes two GPUs per node.
Scenario random_jobs(std::uint32_t seed) {
  Dice dice(seed);
  Scenario s = without_training(star(8, 1000, Algorithm::ring));
  s.platform.gpus_per_node = dice.in(1, 2);
  if (dice.chance(60)) {
    s.platform.network.topology = Topology::racks;
    s.platform.network.racks.nodes_per_rack = 2 * dice.in(1, 2);
    s.platform.network.racks.oversubscription = dice.in(1, 4);
  }
  const int jobs = dice.in(2, 4), most = 8 * s.platform.gpus_per_node / jobs;
  for (int j = 0; j < jobs; ++j) {
    JobSpec& job = s.jobs.emplace_back();
    job.name = std::string(1, static_cast<char>('a' + j));
    job.count = dice.in(1, most);
    const bool racks = s.platform.network.topology == Topology::racks;
    job.placement = static_cast<JobPlacement>(dice.in(0, 3));
    if (job.placement == JobPlacement::by_rack && !racks) job.placement = JobPlacement::random;
    job.seed = dice.in(0, 1000);
    job.start = Seconds(dice.chance(50) ? 0 : dice.real(0, 0.01));
    const Scenario like = star(*job.count, dice.in(1'000, 1'000'000), Algorithm::ring);
    job.workload = like.workload;
    job.workload.layers.front().backward = dice.real(0, 0.005);
    job.phases = like.phases;
    TrainingSpec& t = job.phases.back().training;
    t.exchange = random_exchange(dice, *job.count);
    t.exchange.consistency = Consistency::synchronous; // decisions by the order of arrival depend on ties
    t.exchange.backup_workers = 0;
    if (t.exchange.pull_at == PullAt::first_use) t.overlap.kind = OverlapKind::layerwise;
    t.iterations = dice.in(1, 4);
  }
  return s;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

} // namespace

TEST_CASE("jobs that share an uplink get half of it each, until one is done") {
  // Two pairs of nodes, each pair in two racks; the uplink has a node's bandwidth.
  Scenario s = star(8, 1, Algorithm::ring, 0);
  s.platform.network.topology = Topology::racks;
  s.platform.network.racks.nodes_per_rack = 4;
  s.platform.network.racks.oversubscription = 4;
  s.platform.network.link.latency = Seconds(0);
  s.workload.layers.front().tensors.front().elements = 2'500'000; // two blocks of 5 MB, 4 ms each at 10 Gbps
  const JobSpec a = job_like(s, "a", {0, 4}), b = job_like(s, "b", {1, 5}), late = job_like(s, "b", {1, 5}, 0.004);
  s = without_training(s);
  s.jobs = {a, b};
  RunResult together = simulated_here(s);
  CHECK(together.jobs[0].run.time == Approx(0.016).epsilon(1e-12)); // 2 steps of 4 ms, which take twice as long
  CHECK(together.jobs[1].run.time == Approx(0.016).epsilon(1e-12));
  CHECK(at(together.jobs[0].run.path, Part::contention) == Approx(0.008).epsilon(1e-12));
  s.jobs = {a, late};
  together = simulated_here(s);
  // a's first step alone; its second and b's first together; b's second alone.
  CHECK(together.jobs[0].run.time == Approx(0.012).epsilon(1e-12));
  CHECK(together.jobs[1].run.time == Approx(0.012).epsilon(1e-12));
  CHECK(together.jobs[1].start == 0.004);
  CHECK(together.time == Approx(0.016).epsilon(1e-12));
}

TEST_CASE("both engines give the same times for jobs at random") {
  REQUIRE(rc::check("jobs: hybrid = simgrid within 1e-9", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const Scenario s = random_jobs(seed);
    const ForkedRun hybrid = run(s, EngineKind::hybrid), reference = run(s, EngineKind::simgrid);
    RC_LOG() << "seed " << seed << " hybrid " << hybrid.time << " " << hybrid.message << " reference " << reference.time
             << " " << reference.message << "\n";
    RC_ASSERT(!hybrid.failed);
    RC_ASSERT(!reference.failed);
    RC_ASSERT(near(hybrid.time, reference.time));
    RC_ASSERT(hybrid.messages == reference.messages);
    RC_ASSERT(hybrid.job_times.size() == s.jobs.size());
    for (std::size_t j = 0; j < s.jobs.size(); ++j) RC_ASSERT(near(hybrid.job_times[j], reference.job_times[j]));
    for (std::size_t l = 0; l < hybrid.link_busy.size(); ++l)
      RC_ASSERT(std::abs(hybrid.link_busy[l] - reference.link_busy[l]) <= 1e-9 * reference.time);
  }));
}

TEST_CASE("a job's parts sum to its time, and links that it cannot take carry none of its bytes") {
  REQUIRE(rc::check("jobs: parts and links", [] {
    const Scenario s = random_jobs(*rc::gen::arbitrary<std::uint32_t>());
    const Platform platform = build_platform(s.platform, extra_nodes(s));
    const RunResult result = simulate(s, platform);
    const std::vector<Scenario> jobs = job_scenarios(s);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const RunResult& own = result.jobs[j].run;
      RC_ASSERT(std::abs(sum(own.path) - own.time) <= 1e-9 * result.time);
      const LinkSet links = links_of_job(jobs[j], platform);
      const RunResult alone = simulate(jobs[j], platform);
      RC_ASSERT(own.messages == alone.messages);
      for (std::size_t l = 0; l < alone.links.size(); ++l)
        RC_ASSERT(alone.links[l].bytes == 0 || std::ranges::binary_search(links, static_cast<std::int32_t>(l)));
    }
  }));
}

TEST_CASE("jobs that share no link are each as alone, in one run or apart") {
  REQUIRE(rc::check("jobs: disjoint", [] {
    Dice dice(*rc::gen::arbitrary<std::uint32_t>());
    Scenario s = star(8, 100'000, dice.chance(50) ? Algorithm::ring : Algorithm::halving_doubling);
    training(s).iterations = dice.in(1, 5);
    const JobSpec a = job_like(s, "a", {0, 3, 5}), b = job_like(s, "b", {1, 2, 4, 6, 7}, dice.real(0, 1e-3));
    s = without_training(s);
    s.jobs = {a, b};
    const Platform platform = build_platform(s.platform, 0);
    RC_ASSERT(jobs_together(job_scenarios(s), platform).size() == 2U);
    const RunResult apart = simulate(s, platform);
    s.engine.shortcuts = false;
    const RunResult as_one = simulate(s, platform);
    for (std::size_t j = 0; j < 2; ++j) {
      Scenario alone = job_scenarios(s)[j];
      alone.seat->start = 0;
      const double time = simulate(alone, platform).time;
      RC_ASSERT(near(apart.jobs[j].run.time, time));
      RC_ASSERT(near(as_one.jobs[j].run.time, time));
    }
  }));
}

TEST_CASE("one job in a list is the scenario without a list, bit for bit") {
  REQUIRE(rc::check("jobs: one", [] {
    Scenario s = random_scenario(*rc::gen::arbitrary<std::uint32_t>());
    s.engine.kind = EngineKind::hybrid;
    const RunResult plain = simulated_here(s);
    std::vector<int> gpus;
    for (int w = 0; w < s.workers(); ++w) gpus.push_back(worker_place(s, w));
    const JobSpec only = job_like(s, "only", gpus);
    s = without_training(s);
    s.jobs = {only};
    const RunResult listed = simulated_here(s);
    RC_ASSERT(listed.time == plain.time);
    RC_ASSERT(listed.iteration_time == plain.iteration_time);
    RC_ASSERT(listed.communication_time == plain.communication_time);
    RC_ASSERT(listed.path == plain.path);
    RC_ASSERT(listed.messages == plain.messages);
    RC_ASSERT(listed.wire_bytes == plain.wire_bytes);
    RC_ASSERT(listed.iterations.size() == plain.iterations.size());
    RC_ASSERT(listed.links.size() == plain.links.size());
    for (std::size_t l = 0; l < plain.links.size(); ++l) {
      RC_ASSERT(listed.links[l].bytes == plain.links[l].bytes);
      RC_ASSERT(listed.links[l].busy == plain.links[l].busy);
    }
  }));
}

TEST_CASE("servers of jobs follow the nodes in the order of the jobs") {
  Scenario s = star(4, 1000, Algorithm::parameter_server);
  training(s).exchange.servers = 2;
  const JobSpec a = job_like(s, "a", {0, 1}), b = job_like(s, "b", {2, 3});
  s = without_training(s);
  s.jobs = {a, b};
  CHECK(extra_nodes(s) == 4);
  const Platform platform = build_platform(s.platform, extra_nodes(s));
  const std::vector<Scenario> jobs = job_scenarios(s);
  CHECK(helper_place(jobs[0], platform, 1) == 5);
  CHECK(helper_place(jobs[1], platform, 0) == 6);
  CHECK(common_links(links_of_job(jobs[0], platform), links_of_job(jobs[1], platform)).empty());
}

TEST_CASE("who is blocked is told with the job's name") {
  Scenario s = star(4, 1'000'000, Algorithm::ring);
  const JobSpec a = job_like(s, "a", {0, 1}), b = job_like(s, "b", {2, 3});
  s = without_training(s);
  s.jobs = {a, b};
  s.engine.shortcuts = false;
  s.limits.simulated_time = Seconds(1e-4);
  const ForkedRun o = run(s);
  REQUIRE(o.failed);
  REQUIRE(o.blocked.size() == 8);
  CHECK(o.blocked.front().job == "a");
  CHECK(o.blocked.back().job == "b");
}
