#include "analysis/run/evaluate.hpp"

#include "scenarios/language/json/diagnostics.hpp"
#include "sim/jobs.hpp"
#include "sim/repeated_iterations.hpp"
#include "sim/simgrid/simgrid_engine.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

RunResult simulate(const Prepared& prepared, const EvaluateOptions& options) {
  const SimulateOptions recorded{options.timeline, options.progress, options.only_times};
  const Scenario& scenario = prepared.scenario();
  // SimGrid's clock can run only once. Failures and repeated iterations may need several runs, and jobs without shared
  // links run separately.
  const bool several = scenario.failures || scenario.queue ||
                       (scenario.jobs.size() > 1 && options.timeline == nullptr) ||
                       may_repeat_iterations(scenario, recorded);
  const bool on_simgrid = (options.simgrid_clock && !several) || scenario.engine.kind == EngineKind::simgrid;
  if (!on_simgrid) return simulate(scenario, prepared.platform(), recorded);
  if (options.process == Process::shared) throw NeedsOwnProcess();
  return simulate_on_simgrid(scenario, prepared.platform(), recorded);
}

namespace {

/// Returns the run's time with the other order of racing announcements; nothing if the time is the same.
std::optional<double> other_race_time(const Prepared& prepared, double time, const EvaluateOptions& options) {
  if (!prepared.scenario().platform.protocol) return std::nullopt;
  Scenario changed = prepared.scenario();
  Announcements& race = changed.platform.protocol->announcements;
  race = other(race);
  const double other_time = simulate(changed, prepared.platform(), {.progress = options.progress}).time;
  return other_time != time ? std::optional(other_time) : std::nullopt;
}

/// Returns "job b shares rack0.up (and 3 more)" for jobs that share links; the links with the largest cost come first.
std::string sharing(const std::vector<Scenario>& jobs, const std::vector<LinkSet>& links, std::size_t of,
                    const Platform& platform, const std::vector<Bottleneck>& bottlenecks) {
  std::string text;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const LinkSet both = j == of ? LinkSet() : common_links(links[of], links[j]);
    if (both.empty()) continue;
    const auto named = [&](const std::string& name) {
      return std::ranges::any_of(both, [&](std::int32_t l) { return platform.link(l).name == name; });
    };
    const auto bottleneck = std::ranges::find_if(bottlenecks, [&](const Bottleneck& d) { return named(d.link); });
    text += fmt::format("{}job {} shares {}", text.empty() ? "" : "; ", jobs[j].seat->name,
                        bottleneck != bottlenecks.end() ? bottleneck->link : platform.link(both.front()).name);
    if (both.size() > 1) text += fmt::format(" (and {} more)", both.size() - 1);
  }
  return text;
}

/// Returns the names of the other jobs with messages on a link.
std::string others_on(const std::string& link, const std::vector<Scenario>& jobs, const std::vector<LinkSet>& links,
                      std::size_t but, const Platform& platform) {
  std::string text;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (j == but) continue;
    const bool there = std::ranges::any_of(links[j], [&](std::int32_t l) { return platform.link(l).name == link; });
    if (there) text += (text.empty() ? "" : ", ") + jobs[j].seat->name;
  }
  return text;
}

/// Computes each job's time alone. Both engines give the same times, and the reference engine can run only once.
void simulate_alone(const std::vector<Scenario>& jobs, const Platform& platform, RunResult& result) {
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    Scenario alone = jobs[j];
    alone.engine.kind = EngineKind::hybrid;
    alone.seat->start = 0;
    alone.seat->several = false;
    SimulateOptions only_times;
    only_times.only_times = true;
    result.jobs[j].alone_time = simulate(alone, platform, only_times).time;
  }
}

/// Whether two jobs run at one time.
bool meet(const JobRun& a, const JobRun& b) { return a.start < b.start + b.run.time && b.start < a.start + a.run.time; }

/// Returns the outcome of each job.
std::vector<Outcome> job_outcomes(std::vector<Scenario> jobs, const Platform& platform, const RunResult& result) {
  if (result.queue) return {}; // its jobs differ only in their numbers
  std::vector<LinkSet> links;
  for (const Scenario& job : jobs) links.push_back(links_of_job(job, platform));
  std::vector<Outcome> outcomes;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    RunResult run = result.jobs[j].run;
    run.links = result.links;
    run.traffic = result.traffic;
    std::vector<Bottleneck> bottlenecks = find_bottlenecks(run);
    run.links.clear();
    run.traffic.clear();
    std::vector<LinkSet> meanwhile = links;
    for (std::size_t k = 0; k < jobs.size(); ++k)
      if (!meet(result.jobs[j], result.jobs[k])) meanwhile[k].clear();
    for (Bottleneck& bottleneck : bottlenecks)
      bottleneck.jobs = others_on(bottleneck.link, jobs, meanwhile, j, platform);
    Scenario job = jobs[j];
    job.seat->shared = sharing(jobs, meanwhile, j, platform, bottlenecks);
    ClosedFormAnswer form = closed_form(job, platform);
    outcomes.push_back({.scenario = std::move(job),
                        .id = {},
                        .result = std::move(run),
                        .form = std::move(form),
                        .bottlenecks = std::move(bottlenecks)});
  }
  return outcomes;
}

} // namespace

RunResult simulate_with_race(const Prepared& prepared, const EvaluateOptions& options) {
  RunResult result = simulate(prepared, options);
  result.other_race_time = other_race_time(prepared, result.time, options);
  if (options.alone) simulate_alone(job_scenarios(prepared.scenario()), prepared.platform(), result);
  return result;
}

Outcome evaluate(const Prepared& prepared, const EvaluateOptions& options) {
  if (prepared.scenario().queue && options.timeline != nullptr)
    throw InputErrors({Diagnostic{prepared.scenario().name, 0, 0, "/jobs",
                                  "a list of jobs has no timeline, because most of its iterations are not simulated; "
                                  "`queue` in the result shows when each job ran"}});
  Outcome outcome = outcome_of(prepared, simulate_with_race(prepared, options));
  if (options.timeline != nullptr)
    for (const ChangeRow& row : outcome.changes)
      options.timeline->marks.push_back({row.at, row.target + ": " + row.what});
  return outcome;
}

Outcome outcome_of(const Prepared& prepared, RunResult result) {
  auto jobs = job_outcomes(job_scenarios(prepared.scenario()), prepared.platform(), result);
  auto bottlenecks = jobs.empty() ? find_bottlenecks(result) : jobs[result.last_job].bottlenecks;
  auto changes = changes_until(prepared.scenario().changes, result.time);
  Outcome outcome{.scenario = prepared.scenario(),
                  .id = prepared.id(),
                  .result = std::move(result),
                  .form = closed_form(prepared.scenario(), prepared.platform()),
                  .bottlenecks = std::move(bottlenecks),
                  .changes = std::move(changes),
                  .jobs = std::move(jobs)};
  explain(outcome, prepared.platform());
  list_links(outcome, LinkListing::by_count);
  return outcome;
}

} // namespace gradflight
