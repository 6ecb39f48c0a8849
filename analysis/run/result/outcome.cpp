#include "analysis/run/result/outcome.hpp"

#include "analysis/run/result/uneven_steps.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

void explain(Outcome& outcome, const Platform& platform) {
  if (!outcome.scenario.one_job()) return;
  outcome.bounds = bound_by(outcome.scenario, outcome.result);
  const UnevenSteps uneven = uneven_steps(outcome.scenario, platform, outcome.changes, outcome.result);
  outcome.verdict = uneven.text + verdict_text(outcome.bounds, outcome.result.iteration_time);
  outcome.mean = mean_step(outcome.scenario, outcome.result, uneven);
  outcome.mean_step = mean_worker_step(outcome.result, uneven);
  outcome.notes = find_notes(outcome.scenario, outcome.result);
}

Simulated simulated(const Outcome& outcome) {
  std::vector<Bottleneck> bottlenecks = outcome.bottlenecks;
  std::string beyond = beyond_text(outcome.bounds, bottlenecks, outcome.scenario);
  return {outcome.result.time, outcome.result.path, std::move(bottlenecks), std::move(beyond)};
}

void list_links(Outcome& outcome, LinkListing listing) {
  const bool many = outcome.result.links.size() > links_listed;
  const bool groups = listing == LinkListing::groups || (listing == LinkListing::by_count && many);
  outcome.link_groups = groups ? groups_of(outcome.result) : std::vector<LinkGroup>();
}

double utilisation(const LinkResult& link, double run_time) {
  const double capacity = link.mean_bandwidth() * run_time;
  return capacity > 0 ? std::min(1.0, link.bytes / capacity) : 0;
}

std::optional<double> before_start(const RunResult& result) {
  return result.jobs.empty() ? std::nullopt : std::optional(result.jobs[result.last_job].start);
}

std::optional<double> waiting(const JobRun& job) {
  return job.queued ? std::optional(job.start - job.queued->arrival) : std::nullopt;
}

double mean_waiting(const std::vector<JobRun>& jobs) {
  double sum = 0;
  for (const JobRun& job : jobs) sum += waiting(job).value_or(0);
  return jobs.empty() ? 0 : sum / static_cast<double>(jobs.size());
}

std::optional<double> slowdown(const JobRun& job) {
  if (job.queued) return job.run.time > 0 ? std::optional(1 + *waiting(job) / job.run.time) : std::nullopt;
  if (!job.alone_time || !(*job.alone_time > 0)) return std::nullopt;
  return job.run.time / *job.alone_time;
}

double network_slowdown(const std::vector<JobRun>& jobs) {
  double time = 0, alone = 0;
  for (const JobRun& job : jobs) {
    time += job.run.time;
    alone += job.alone_time.value_or(job.run.time);
  }
  return alone > 0 ? time / alone : 1;
}

std::optional<double> fairness(const std::vector<JobRun>& jobs) {
  if (jobs.empty()) return std::nullopt;
  double sum = 0, squares = 0;
  for (const JobRun& job : jobs) {
    const auto x = slowdown(job);
    if (!x) return std::nullopt;
    sum += *x;
    squares += *x * *x;
  }
  return sum * sum / (static_cast<double>(jobs.size()) * squares);
}

LegBytes total(const DataResult& data) {
  LegBytes all;
  for (const LegBytes& step : data.steps) {
    all.push_payload += step.push_payload;
    all.push_wire += step.push_wire;
    all.pull_payload += step.pull_payload;
    all.pull_wire += step.pull_wire;
  }
  return all;
}

const char* engine_name(EngineKind kind) { return kind == EngineKind::simgrid ? "simgrid" : "hybrid"; }

std::int64_t total_iterations(const Scenario& scenario) {
  std::int64_t sum = 0;
  // The largest number of iterations of a job; only a run determines which are executed.
  for (const JobSpec& job : scenario.jobs) {
    std::int64_t own = 0;
    for (const Phase& phase : job.phases) own += phase.training.iterations;
    sum = std::max(sum, own);
  }
  for (const Phase& phase : scenario.phases) sum += phase.training.iterations;
  return sum;
}

const std::string& phase_of_iteration(const Scenario& scenario, std::int64_t index) {
  for (const Phase& phase : scenario.phases) {
    if (index < phase.training.iterations) return phase.name;
    index -= phase.training.iterations;
  }
  return scenario.phases.back().name;
}

} // namespace gradflight
