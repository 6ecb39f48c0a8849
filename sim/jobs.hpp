// Several jobs on one platform: each as a scenario of its own, the links that each may use, and all of them at once.
#pragma once

#include "sim/engine/streams/engine_options.hpp"
#include "sim/plan/plan.hpp"
#include "sim/simulate.hpp"

#include <functional>
#include <span>

namespace gradflight {

/// Each job alone, in order, with its seat on the platform of build_platform(scenario.platform,
/// extra_nodes(scenario)): what simulates or describes a scenario of one job takes it. None of a scenario without jobs.
std::vector<Scenario> job_scenarios(const Scenario& scenario);

/// Numbers of links, sorted.
using LinkSet = std::vector<std::int32_t>;
/// The links that a job's messages may take, by the partners in its schedules; more where naming them all would take
/// long: all links of the platform.
LinkSet links_of_job(const Scenario& job, const Platform& platform);
/// The links that two sets have in common.
LinkSet common_links(const LinkSet& a, const LinkSet& b);

/// What it may have in common with others: its links, and, numbered on after all links, the nodes whose NICs compress
/// for it.
LinkSet shared_parts(const Scenario& job, const Platform& platform);

/// Jobs that have to be simulated together: those that share links, directly or by way of others. In order.
std::vector<std::vector<std::size_t>> jobs_together(const std::vector<Scenario>& jobs, const Platform& platform);

enum class JobsRun {
  apart,   ///< jobs that share nothing, one group after another: what they come to is the same
  together ///< all in one run
};
using RunsPlans = std::function<PlansResult(std::span<PlanSequence* const> plans, const EngineOptions& options)>;
/// Of a scenario with jobs. Throws SimulationFailure.
RunResult simulate_jobs(const Scenario& scenario, const Platform& platform, const SimulateOptions& options, JobsRun how,
                        const RunsPlans& run);

} // namespace gradflight
