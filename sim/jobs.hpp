// Several jobs on one platform: each as a scenario, the links that each may use, and all of them at once.
#pragma once

#include "sim/engine/streams/engine_options.hpp"
#include "sim/plan/plan.hpp"
#include "sim/simulate.hpp"

#include <functional>
#include <span>

namespace gradflight {

/// Returns each job alone, in order, with its seat on the platform of build_platform(scenario.platform,
/// extra_nodes(scenario)). Functions for a scenario of one job take it. Empty for a scenario without jobs.
std::vector<Scenario> job_scenarios(const Scenario& scenario);

/// Numbers of links, sorted.
using LinkSet = std::vector<std::int32_t>;
/// Returns the links that a job's messages may take, from the partners in its schedules. If that would take long,
/// returns all links of the platform.
LinkSet links_of_job(const Scenario& job, const Platform& platform);
/// Returns the links that both sets have.
LinkSet common_links(const LinkSet& a, const LinkSet& b);

/// Returns what a job may share: its links and, numbered after all links, nodes with NICs that compress for it.
LinkSet shared_parts(const Scenario& job, const Platform& platform);

/// Returns groups of jobs to simulate together: those that share links, directly or through other jobs. In order.
std::vector<std::vector<std::size_t>> jobs_together(const std::vector<Scenario>& jobs, const Platform& platform);

enum class JobsRun {
  apart,   ///< simulates groups that share no links one after another, with the same results
  together ///< all in one run
};
/// Combines the results of jobs: sums of messages and bytes; all else is of the job `last`, which ends at `end` on the
/// run's clock. Links and traffic of the whole run are the caller's.
RunResult result_of_all(std::vector<JobRun> jobs, std::size_t last, double end);

using RunsPlans = std::function<PlansResult(std::span<PlanSequence* const> plans, const EngineOptions& options)>;
/// For a scenario with jobs. Throws SimulationFailure.
RunResult simulate_jobs(const Scenario& scenario, const Platform& platform, const SimulateOptions& options, JobsRun how,
                        const RunsPlans& run);

} // namespace gradflight
