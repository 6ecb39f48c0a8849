// A finished run with its evaluation: the source of report, result JSON and run directory.
#pragma once

#include "analysis/run/forms/closed_form.hpp"
#include "analysis/run/result/change_rows.hpp"
#include "analysis/run/result/comparison.hpp"
#include "analysis/run/result/link_groups.hpp"
#include "analysis/run/result/notes.hpp"
#include "analysis/run/result/uneven_steps.hpp"
#include "analysis/run/result/verdict.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gradflight {

class Platform;

struct Outcome {
  Scenario scenario;
  std::string id; ///< id of the scenario's canonical form
  RunResult result;
  ClosedFormAnswer form;
  std::vector<Bottleneck> bottlenecks{}; ///< find_bottlenecks(result); of several jobs, those of the last one
  std::vector<ChangeRow> changes{};      ///< changes that occurred during the run
  /// A sentence about the bounds of the step; explain() sets this and the next four for a single job.
  std::string verdict{};
  std::optional<MeanStep> mean{};       ///< mean_step(), if steps differ
  std::optional<double> mean_step{};    ///< mean_worker_step()
  std::vector<Bound> bounds{};          ///< bound_by()
  std::vector<Note> notes{};            ///< find_notes()
  std::vector<LinkGroup> link_groups{}; ///< list_links(): empty if JSON lists each link
  /// For each of several jobs, in order: the scenario is that of job_scenarios(); the result has no links, and the id
  /// is empty.
  std::vector<Outcome> jobs{};
};

/// Fills `verdict`, `mean`, `mean_step`, `bounds` and `notes` from the other members. Does nothing for several jobs.
/// `platform` is the platform of the run.
void explain(Outcome& outcome, const Platform& platform);

/// Returns the parts of the outcome that are compared with the form.
Simulated simulated(const Outcome& outcome);

/// Fills `link_groups` if JSON should list groups; clears it if JSON should list each link.
void list_links(Outcome& outcome, LinkListing listing);

/// Returns the bytes on a link over its capacity during a run, with its bandwidth at each time; 0 for a run of no time.
/// At most 1: a protocol's burst passes immediately, without using bandwidth.
double utilisation(const LinkResult& link, double run_time);

/// Returns the time before the start of the job that ends last, if several jobs run or the job waits in a list: the
/// parts of the critical path begin then. Returns nothing for a scenario without jobs.
std::optional<double> before_start(const RunResult& result);

/// Returns the seconds from a job's arrival to its start; nothing for a job that is not in a list.
std::optional<double> waiting(const JobRun& job);
/// Returns the mean over all jobs of a list.
double mean_waiting(const std::vector<JobRun>& jobs);
/// Returns a job's time over its time alone; for a job of a list, the time includes waiting. Returns nothing if the
/// time alone was not requested or is 0.
std::optional<double> slowdown(const JobRun& job);
/// Returns the time of all jobs of a list over their times alone on their GPUs: 1 if no job slowed down another.
double network_slowdown(const std::vector<JobRun>& jobs);
/// Returns Jain's index of the jobs' slowdowns: (sum x)^2 / (n sum x^2). It is 1 if all have equal slowdowns, and 1/n
/// if one job has all of the slowdown (Jain, Chiu, Hawe 1984). Returns nothing if a slowdown is unknown.
std::optional<double> fairness(const std::vector<JobRun>& jobs);

/// Returns the sum over all exchanges.
LegBytes total(const DataResult& data);

/// Returns "hybrid" or "simgrid".
const char* engine_name(EngineKind kind);

/// Returns the number of iterations of all phases together.
std::int64_t total_iterations(const Scenario& scenario);

/// Returns the name of the phase with iteration `index` (from 0, over all phases).
const std::string& phase_of_iteration(const Scenario& scenario, std::int64_t index);

} // namespace gradflight
