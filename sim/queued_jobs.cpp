#include "sim/queued_jobs.hpp"

#include "scenarios/language/types/jobs.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/jobs.hpp"
#include "sim/queue_companies.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>

namespace gradflight {

namespace {

/// Returns the most iterations that end within a time; at least one.
std::int64_t iterations_within(const IterationTimes& times, double seconds) {
  constexpr double most = 1e15, rounding = 1e-9;
  seconds *= 1 + rounding; // iterations are sums of many times
  const double first = times.whole(1);
  if (seconds <= first || times.period() <= 0) return 1;
  auto count = static_cast<std::int64_t>(std::min(most, std::floor((seconds - first) / times.period()) + 1));
  while (count > 1 && times.whole(count) > seconds) --count; // the first iterations may have other times
  while (static_cast<double>(count) < most && times.whole(count + 1) <= seconds) ++count;
  return count;
}

/// Returns for each job how many others shared a link with it while it ran.
std::vector<int> count_shared(const Scenario& scenario, const Platform& platform,
                              const std::vector<QueueGrant>& grants) {
  std::vector<std::size_t> by_start(grants.size());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::ranges::stable_sort(by_start, {}, [&](std::size_t j) { return grants[j].start; });
  std::map<std::vector<int>, LinkSet> known;
  std::vector<std::vector<std::size_t>> on_link(platform.links().size()); // jobs that use it, or did
  std::vector<int> shared(grants.size(), 0);
  for (const std::size_t j : by_start) {
    auto found = known.find(grants[j].gpus);
    if (found == known.end())
      found =
          known
              .emplace(grants[j].gpus, links_of_job(with_iterations(listed_job(scenario, grants[j].gpus), 1), platform))
              .first;
    std::set<std::size_t> others;
    for (const std::int32_t link : found->second) {
      auto& users = on_link[static_cast<std::size_t>(link)];
      std::erase_if(users, [&](std::size_t other) { return grants[other].end <= grants[j].start; });
      others.insert(users.begin(), users.end());
      users.push_back(j);
    }
    shared[j] += static_cast<int>(others.size());
    for (const std::size_t other : others) ++shared[other];
  }
  return shared;
}

/// Returns the numbers of busy GPUs and waiting jobs at each change.
std::vector<QueueMoment> moments_of(const JobQueue& queue, const std::vector<QueueGrant>& grants) {
  std::map<double, QueueMoment> changes; // as differences
  for (std::size_t j = 0; j < grants.size(); ++j) {
    const int gpus = queue.list[j].gpus;
    ++changes[queue.list[j].arrival.value()].jobs_waiting;
    --changes[grants[j].start].jobs_waiting;
    changes[grants[j].start].gpus_busy += gpus;
    changes[grants[j].end].gpus_busy -= gpus;
  }
  std::vector<QueueMoment> moments;
  int busy = 0, waiting = 0;
  for (const auto& [at, change] : changes) {
    busy += change.gpus_busy;
    waiting += change.jobs_waiting;
    const bool same = !moments.empty() && moments.back().gpus_busy == busy && moments.back().jobs_waiting == waiting;
    if (!same) moments.push_back({at, busy, waiting});
  }
  return moments;
}

double utilisation_of(const std::vector<QueueMoment>& moments, double first_arrival, double end, int gpus) {
  double busy = 0;
  for (std::size_t i = 0; i + 1 < moments.size(); ++i)
    busy += moments[i].gpus_busy * (moments[i + 1].at - moments[i].at);
  return end > first_arrival ? busy / (gpus * (end - first_arrival)) : 0;
}

/// Turns the result of a job alone into that of the job among others; counts stay the same. The times of its single
/// iterations are unknown.
void slow_down(RunResult& run, const JobProgress& progress, double start) {
  const JobPace& last = progress.pace(); // with the jobs present at its end
  run.time = progress.end() - start;
  run.path = progress.path();
  run.iteration_time = last.times.period();
  run.iteration_begin = run.time - run.iteration_time;
  run.iteration_end = run.time;
  for (std::size_t part = 0; part < run.path.size(); ++part)
    run.iteration_path[part] = last.share[part] * run.iteration_time;
  run.communication_time = last.communication;
  run.exposed_communication_time = last.exposed;
  run.iterations.clear();
}

/// Returns the result of all jobs, without their iterations.
RunResult whole_of(std::vector<JobRun> jobs, const QueueResult& queue) {
  const auto end_of = [](const JobRun& job) { return job.start + job.run.time; };
  const auto last = std::ranges::max_element(jobs, {}, end_of);
  const double end = end_of(*last);
  const auto index = static_cast<std::size_t>(last - jobs.begin());
  RunResult all = result_of_all(std::move(jobs), index, end);
  for (JobRun& job : all.jobs) job.run.iterations.clear();
  all.queue = queue;
  return all;
}

} // namespace

RunResult simulate_queue(const Scenario& scenario, const Platform& platform, const SimulateOptions& options) {
  const JobQueue& queue = *scenario.queue;
  const int gpus = scenario.platform.nodes * scenario.platform.gpus_per_node;
  QueueSamples samples(scenario, platform, options);
  std::vector<int> all(static_cast<std::size_t>(gpus));
  std::iota(all.begin(), all.end(), 0);

  std::vector<QueueRequest> requests;
  std::vector<std::int64_t> iterations;
  for (const ListedJob& job : queue.list) {
    QueueRequest request{job.arrival.value(), job.gpus, {}};
    if (job.estimate) request.estimate = job.estimate->value();
    requests.push_back(request);
    if (!job.iterations) {
      const std::vector<int> packed(all.begin(), all.begin() + job.gpus);
      iterations.push_back(
          iterations_within(samples.alone(packed, first_sample(scenario)).times, job.run_time->value()));
    } else {
      iterations.push_back(*job.iterations);
    }
  }
  QueueQuestions ask;
  ask.place = [&](std::size_t j, const std::vector<int>& free) {
    JobSpec taking;
    taking.count = queue.list[j].gpus;
    taking.placement = queue.placement;
    taking.seed = queue.seed + static_cast<std::int64_t>(j);
    return take_gpus(scenario.platform, free, taking);
  };
  ask.run_time = [&](std::size_t j, const std::vector<int>& on) {
    return samples.alone(on, iterations[j]).times.whole(iterations[j]);
  };
  QueueCompanies companies(scenario, platform, samples, requests.size());
  if (queue.network == QueueNetwork::shared)
    ask.repace = [&](double now, const std::vector<std::size_t>& running, std::vector<QueueGrant>& grants) {
      companies.repace(now, running, iterations, grants);
    };
  const std::vector<QueueGrant> grants = run_queue(requests, gpus, queue.policy, ask);

  QueueResult result;
  const std::vector<int> shared = count_shared(scenario, platform, grants);
  std::vector<JobRun> jobs(grants.size());
  for (std::size_t j = 0; j < grants.size(); ++j) {
    const IterationSample& sample = samples.alone(grants[j].gpus, iterations[j]);
    JobRun& job = jobs[j];
    job.name = queue.list[j].name;
    job.start = grants[j].start;
    job.run = sample.run;
    extend(job.run, sample.times, iterations[j]);
    job.run.time = sample.times.whole(iterations[j]);
    job.alone_time = job.run.time;
    job.queued = QueuedRun{requests[j].arrival, requests[j].gpus, iterations[j], grants[j].overtook, shared[j]};
    const QueueCompanies::Job& among = companies.job(j);
    if (among.met_others) slow_down(job.run, *among.progress, job.start);
    const bool all_simulated = iterations[j] <= sample.times.simulated();
    const bool unsteady = among.met_others ? among.unsteady : !sample.times.steady() && !all_simulated;
    result.unsteady += unsteady ? 1 : 0;
  }
  result.shapes = samples.alone_count();
  result.companies = samples.together_count();
  result.moments = moments_of(queue, grants);
  const double end = std::ranges::max_element(grants, {}, &QueueGrant::end)->end;
  result.utilisation = utilisation_of(result.moments, requests.front().arrival, end, gpus);
  if (scenario.limits.simulated_time && end > scenario.limits.simulated_time->value())
    throw SimulationFailure(
        fmt::format("limits.simulated_time, {:.6g} s, is exceeded: the last job of the list ends at {:.6g} s",
                    scenario.limits.simulated_time->value(), end),
        {});
  return whole_of(std::move(jobs), result);
}

} // namespace gradflight
