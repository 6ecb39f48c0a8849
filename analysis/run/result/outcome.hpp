// One finished run with all that is said about it: what report, result JSON and run directory are written from.
#pragma once

#include "analysis/run/forms/closed_form.hpp"
#include "analysis/run/result/change_rows.hpp"
#include "analysis/run/result/comparison.hpp"
#include "analysis/run/result/link_groups.hpp"
#include "analysis/run/result/notes.hpp"
#include "analysis/run/result/verdict.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/result/result.hpp"

#include <string>
#include <vector>

namespace gradflight {

class Platform;

struct Outcome {
  Scenario scenario;
  std::string id; ///< of the scenario's canonical form
  RunResult result;
  ClosedFormAnswer form;
  std::vector<Bottleneck> bottlenecks{}; ///< find_bottlenecks(result)
  std::vector<ChangeRow> changes{};      ///< those that came during the run
  std::string verdict{};       ///< what bounds the step, in a sentence; this and the next two: of one job, explain()
  std::vector<Bound> bounds{}; ///< bound_by()
  std::vector<Note> notes{};   ///< find_notes()
  std::vector<LinkGroup> link_groups{}; ///< list_links(): empty where JSON lists each link
  /// Of each of several jobs, in their order: its scenario is job_scenarios()'s, its result has no links, and it has no
  /// id.
  std::vector<Outcome> jobs{};
};

/// Fills `verdict`, `bounds` and `notes` from the other members, once for all who tell them; does nothing of several
/// jobs. The platform is the one that the run had.
void explain(Outcome& outcome, const Platform& platform);

/// What is held against the form.
Simulated simulated(const Outcome& outcome);

/// Fills `link_groups` where JSON shall list groups, and empties it where it shall list each link.
void list_links(Outcome& outcome, LinkListing listing);

/// The bytes that a link carried over what it could have carried in a run, with the bandwidth that it had at each time;
/// 0 for a run of no time. At most 1: a protocol's burst passes at once, beside the bandwidth.
double utilisation(const LinkResult& link, double run_time);

/// Seconds from a job's arrival to its start; nothing of a job that is in no list.
std::optional<double> waiting(const JobRun& job);
/// The mean over all jobs of a list.
double mean_waiting(const std::vector<JobRun>& jobs);
/// A job's time over its time alone; of a job of a list with the time that it waited. Nothing where that was not asked
/// for, or is 0.
std::optional<double> slowdown(const JobRun& job);
/// The time of all jobs of a list over what all would take alone on their GPUs: 1 where nobody held up anybody.
double network_slowdown(const std::vector<JobRun>& jobs);
/// Jain's index of the jobs' slowdowns: (sum x)^2 / (n sum x^2), 1 where all are slowed down alike, 1/n where one bears
/// it all (Jain, Chiu, Hawe 1984). Nothing where a slowdown is not known.
std::optional<double> fairness(const std::vector<JobRun>& jobs);

/// All exchanges together.
LegBytes total(const DataResult& data);

/// "hybrid" or "simgrid".
const char* engine_name(EngineKind kind);

/// Iterations of all phases together.
std::int64_t total_iterations(const Scenario& scenario);

/// The name of the phase in which iteration `index` (from 0, over all phases) runs.
const std::string& phase_of_iteration(const Scenario& scenario, std::int64_t index);

} // namespace gradflight
