#include "sim/queue_samples.hpp"

#include "scenarios/language/types/jobs.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/message_count.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace gradflight {

Scenario listed_job(const Scenario& scenario, std::vector<int> gpus) {
  Scenario one = scenario;
  one.queue.reset();
  one.expect.clear();
  one.phases.back().training.iterations = std::numeric_limits<std::int32_t>::max();
  one.seat.emplace().gpus = std::move(gpus);
  return one;
}

std::vector<int> placement_shape(const PlatformSpec& platform, const std::vector<int>& gpus) {
  const Topology topology = platform.network.topology;
  const bool alike_everywhere = (topology == Topology::star || topology == Topology::racks) &&
                                platform.network.routing.kind == RoutingSpec::Kind::by_topology &&
                                platform.node_overrides.empty() && platform.link_overrides.empty();
  if (!alike_everywhere) return gpus;
  const int rack = topology == Topology::racks ? nodes_per_rack(platform) : platform.nodes;
  const auto number_of = [](std::map<int, int>& known, int what) {
    return known.try_emplace(what, static_cast<int>(known.size())).first->second;
  };
  std::map<int, int> nodes, racks;
  std::vector<int> shape;
  for (const int gpu : gpus) {
    const int node = gpu / platform.gpus_per_node;
    shape.insert(shape.end(), {number_of(racks, node / rack), number_of(nodes, node), gpu % platform.gpus_per_node});
  }
  return shape;
}

namespace {

/// Most iterations of the slowest job in a simulation of several jobs.
constexpr std::int64_t most_together = 32;
/// Means may differ by at most this share to stand for later iterations.
constexpr double settled = 1e-2;

/// For a job that does not repeat.
bool has_settled(const std::vector<double>& ends) {
  const std::size_t n = ends.size();
  if (n < 8) return false;
  const std::size_t half = n / 2, quarter = n - n / 4;
  const double third = (ends[quarter - 1] - ends[half - 1]) / static_cast<double>(quarter - half);
  const double last = (ends[n - 1] - ends[quarter - 1]) / static_cast<double>(n - quarter);
  return std::abs(third - last) <= settled * last;
}

/// The pace that a job among others shows from `lead` after its start until `window` after that.
struct Shown {
  JobPace pace;
  bool clearly = false;
};
Shown shown_by(const RunResult& run, double lead, double window, std::int64_t cycle) {
  std::vector<double> ends;
  std::size_t first = 0, count = 0;
  for (std::size_t i = 0; i < run.iterations.size(); ++i) {
    const double end = run.iterations[i].end - lead;
    if (end > window && !ends.empty()) break;
    if (ends.empty()) first = i;
    count = i;
    ends.push_back(std::max(0.0, end));
  }
  const bool clearly = ends.size() >= 4 && (IterationTimes(ends, 0, cycle).steady() || has_settled(ends));
  const Path until = first < count ? run.iterations[first].path : Path{};
  const double seconds = run.iterations[count].end - (first < count ? run.iterations[first].end : 0);
  JobPace pace{IterationTimes(std::move(ends), run.time - run.iterations.back().end, cycle),
               {},
               run.communication_time,
               run.exposed_communication_time};
  for (std::size_t part = 0; part < pace.share.size(); ++part)
    pace.share[part] = seconds > 0 ? (run.iterations[count].path[part] - until[part]) / seconds : 0;
  return {std::move(pace), clearly};
}

} // namespace

void QueueSamples::limit(Scenario& some, const std::string& of) const {
  if (auto& wall = some.limits.wall_time) {
    const double gone = std::chrono::duration<double>(Clock::now() - began_).count();
    wall = Seconds(std::max(std::numeric_limits<double>::min(), wall->value() - gone));
  }
  some.limits.simulated_time.reset(); // it applies to the whole list
  if (const auto refused = too_many_messages(some, platform_, true))
    throw SimulationFailure(fmt::format("{}: {}", of, *refused), {});
}

const IterationSample& QueueSamples::alone(const std::vector<int>& gpus, std::int64_t iterations) {
  std::vector<int> shape = placement_shape(scenario_.platform, gpus);
  const std::int64_t first_count = first_sample(scenario_);
  const std::int64_t cycle = scenario_.phases.back().training.every, rest = iterations % cycle;
  shape.push_back(static_cast<int>(std::min(iterations, first_count + rest)));
  const auto known = alone_.find(shape);
  if (known != alone_.end()) return known->second;
  Scenario one = listed_job(scenario_, gpus);
  std::int64_t& all = one.phases.back().training.iterations;
  all = iterations < first_count ? iterations : (all / cycle - 1) * cycle + rest;
  Scenario first = with_iterations(one, first_count);
  limit(first, fmt::format("a job of {} GPUs", gpus.size()));
  one.limits = first.limits;
  IterationSample found = sample_iterations(one, platform_, options_);
  found.run.links.clear();
  found.run.delays.clear();
  return alone_.emplace(std::move(shape), std::move(found)).first->second;
}

JobPace QueueSamples::pace_alone(const std::vector<int>& gpus, std::int64_t iterations, double under_way) {
  const IterationSample& sample = alone(gpus, iterations);
  JobPace pace{sample.times, {}, sample.run.communication_time, sample.run.exposed_communication_time};
  for (std::size_t part = 0; part < pace.share.size(); ++part)
    pace.share[part] = sample.run.time > 0 ? sample.run.path[part] / sample.run.time : 0;
  if (under_way <= 0) return pace;
  const std::int64_t cycle = sample.times.cycle();
  const double since = sample.times.into_cycle(under_way), whole = std::floor(under_way);
  std::vector<double> ends;
  for (std::int64_t i = 1; i <= 4 * cycle; ++i)
    ends.push_back(sample.times.into_cycle(whole + static_cast<double>(i)) - since);
  pace.times = IterationTimes(std::move(ends), sample.times.after(), cycle);
  return pace;
}

RunResult QueueSamples::run_together(std::span<const QueuedPart> jobs, std::span<const double> leads,
                                     std::span<const std::int64_t> iterations) {
  Scenario all = scenario_;
  all.queue.reset();
  all.expect.clear();
  all.phases.clear();
  const double now = *std::ranges::max_element(leads);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    JobSpec job;
    job.name = fmt::format("{}", j);
    job.workload = scenario_.workload;
    job.phases = scenario_.phases;
    job.phases.back().training.iterations = iterations[j];
    job.ranks = *jobs[j].gpus;
    job.start = Seconds(now - leads[j]);
    all.jobs.push_back(std::move(job));
  }
  limit(all, fmt::format("{} jobs that share links", jobs.size()));
  return simulate(all, platform_, options_);
}

std::vector<JobPace> QueueSamples::together(std::span<const QueuedPart> jobs) {
  std::vector<int> gpus, key;
  std::vector<double> periods, leads;
  for (const QueuedPart& job : jobs) {
    gpus.insert(gpus.end(), job.gpus->begin(), job.gpus->end());
    key.push_back(static_cast<int>(job.gpus->size()));
    const IterationTimes& times = alone(*job.gpus, first_sample(scenario_)).times;
    periods.push_back(times.period());
    leads.push_back(times.into_cycle(job.under_way));
  }
  const bool fresh = std::ranges::all_of(jobs, [](const QueuedPart& job) { return job.under_way <= 0; });
  const std::vector<int> shape = placement_shape(scenario_.platform, gpus);
  key.insert(key.end(), shape.begin(), shape.end());
  if (const auto known = fresh_.find(key); fresh && known != fresh_.end()) return known->second;

  ++together_count_;
  const double slowest = *std::ranges::max_element(periods);
  for (std::int64_t count = first_sample(scenario_);; count *= 4) {
    std::vector<std::int64_t> iterations;
    for (const double period : periods)
      iterations.push_back(2 + static_cast<std::int64_t>(
                                   std::ceil(static_cast<double>(count) * slowest / std::max(period, 1e-6 * slowest))));
    const RunResult run = run_together(jobs, leads, iterations);
    double window = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < jobs.size(); ++j)
      window = std::min(window, run.jobs[j].run.iterations.back().end - leads[j]);
    Paces paces;
    bool clearly = true;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      Shown shown = shown_by(run.jobs[j].run, leads[j], window, scenario_.phases.back().training.every);
      clearly = clearly && shown.clearly;
      paces.push_back(std::move(shown.pace));
    }
    if (!clearly && count < most_together) continue;
    if (fresh) fresh_.emplace(std::move(key), paces);
    return paces;
  }
}

} // namespace gradflight
