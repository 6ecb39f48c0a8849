#include "sim/jobs.hpp"

#include "scenarios/language/types/jobs.hpp"
#include "scenarios/language/types/scenario.hpp"
#include "sim/training_plans.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <numeric>

namespace gradflight {

std::vector<Scenario> job_scenarios(const Scenario& scenario) {
  std::vector<Scenario> all;
  if (scenario.jobs.empty()) return all;
  PlacedJobs placed = place_jobs(scenario);
  int helpers = 0, ranks = 0;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const JobSpec& job = scenario.jobs[j];
    Scenario one;
    one.name = job.name;
    one.platform = scenario.platform;
    one.workload = job.workload;
    one.phases = job.phases;
    one.engine = scenario.engine;
    one.traffic = scenario.traffic;
    one.changes = scenario.changes;
    one.failures = scenario.failures;
    one.recovery = scenario.recovery;
    one.limits = scenario.limits;
    JobSeat& seat = one.seat.emplace();
    seat.name = job.name;
    seat.gpus = std::move(placed.gpus[j]);
    seat.helpers_before = helpers;
    seat.ranks_before = ranks;
    seat.start = job.start.value();
    seat.several = scenario.jobs.size() > 1;
    helpers += helper_nodes(one);
    ranks += one.workers();
    all.push_back(std::move(one));
  }
  return all;
}

namespace {

/// Marks the links of routes between places.
class LinkMarks {
public:
  explicit LinkMarks(const Platform& platform) : platform_(platform), marked_(platform.links().size(), false) {}
  void between(int from, int to) {
    platform_.route(from, to, route_);
    for (const std::int32_t link : route_) marked_[static_cast<std::size_t>(link)] = true;
  }
  void all() { marked_.assign(marked_.size(), true); }
  [[nodiscard]] int nodes() const { return platform_.nodes(); }
  [[nodiscard]] std::vector<std::vector<int>> nics_of_gpus() const {
    std::vector<std::vector<int>> nics;
    for (int gpu = 0; gpu < platform_.gpus_per_node(); ++gpu) nics.push_back(platform_.nics_of(gpu));
    return nics;
  }
  [[nodiscard]] LinkSet links() const {
    LinkSet links;
    for (std::size_t l = 0; l < marked_.size(); ++l)
      if (marked_[l]) links.push_back(static_cast<std::int32_t>(l));
    return links;
  }

private:
  const Platform& platform_;
  std::vector<bool> marked_;
  Route route_;
};

/// Looks at this many routes one by one; with more, all links count.
constexpr double routes_looked_at = 4e6;

void mark_pairs(const Job& job, LinkMarks& marks) {
  const RankLayout& ranks = job.ranks;
  if (static_cast<double>(ranks.size()) * ranks.size() > routes_looked_at) return marks.all();
  if (job.calls && job.calls->has_own_nics(marks.nics_of_gpus())) return marks.all();
  // The helpers are a call's switches. An NVSwitch has routes to its own node's GPUs, a network's to all.
  const auto is_nvswitch = [&](int rank) {
    return job.calls && ranks.is_helper(rank) && ranks.node(rank) < marks.nodes();
  };
  const auto reaches = [&](int a, int b) {
    return (!is_nvswitch(a) && !is_nvswitch(b)) || ranks.node(a) == ranks.node(b);
  };
  for (int a = 0; a < ranks.size(); ++a)
    for (int b = 0; b < ranks.size(); ++b)
      if (reaches(a, b)) marks.between(ranks.place(a), ranks.place(b));
}

void mark_schedule(const Job& job, const Schedule& schedule, LinkMarks& marks) {
  double steps = 0;
  for (int i = 0; i < schedule.participants(); ++i) steps += schedule.distinct_steps(i);
  if (steps > routes_looked_at) return marks.all();
  const std::int64_t n = std::max<std::int64_t>(1, job.workload.elements());
  for (int i = 0; i < schedule.participants(); ++i)
    for (int s = 0, count = schedule.distinct_steps(i); s < count; ++s) {
      const Step step = schedule.step(n, i, s);
      if (step.to >= 0) marks.between(job.ranks.place(i), job.ranks.place(step.to));
      if (step.to == anyone) return mark_pairs(job, marks);
    }
}

void mark(const Job& job, LinkMarks& marks) {
  if (job.calls || reactive(job.training.exchange)) return mark_pairs(job, marks);
  if (const auto rings = job.rings()) {
    const auto place = [&](std::int32_t rank) { return job.ranks.place(rank); };
    for (std::size_t i = 0; i < rings->members.size(); ++i)
      marks.between(place(rings->members[i]), place(rings->members[(i + 1) % rings->members.size()]));
    for (const Rings::Pair& pair : rings->others) marks.between(place(pair.from), place(pair.to));
    return;
  }
  std::vector<const Schedule*> seen;
  for (const std::int64_t round : {std::int64_t{0}, job.tasks.rounds() - 1})
    for (const auto& tasks : job.tasks.round(round))
      for (const Task& task : tasks)
        if (std::ranges::find(seen, task.schedule) == seen.end()) {
          seen.push_back(task.schedule);
          mark_schedule(job, *task.schedule, marks);
        }
}

bool in_nic(const Scenario& job) {
  return std::ranges::any_of(job.phases, [](const Phase& p) { return p.training.compression.in_nic(); });
}

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Adds links' use in another group's run, in which no other job used them.
void add_use(std::vector<LinkResult>& all, std::vector<LinkResult> more) {
  if (all.empty()) {
    all = std::move(more);
    return;
  }
  for (std::size_t l = 0; l < all.size(); ++l) {
    all[l].bytes += more[l].bytes;
    all[l].busy += more[l].busy;
  }
}

/// Makes times count from the job's start.
void count_from_start(JobRun& job) {
  job.run.time -= job.start;
  for (double* at : {&job.run.iteration_begin, &job.run.iteration_end}) *at -= job.start;
  for (IterationResult& iteration : job.run.iterations.kept()) iteration.end -= job.start;
}

/// Combines the results of the jobs; `ends`: on the run's clock.
RunResult together(std::vector<JobRun> jobs, const std::vector<double>& ends, std::vector<LinkResult> links,
                   std::vector<TrafficResult> traffic) {
  const auto last = std::ranges::max_element(ends);
  RunResult all = result_of_all(std::move(jobs), static_cast<std::size_t>(last - ends.begin()), *last);
  all.links = std::move(links);
  all.traffic = std::move(traffic);
  return all;
}

} // namespace

RunResult result_of_all(std::vector<JobRun> jobs, std::size_t last, double end) {
  RunResult all = jobs[last].run;
  all.time = end;
  all.last_job = last;
  all.messages = all.repeated_messages = all.dropped_gradients = all.lost_messages = all.rerouted_messages = 0;
  all.payload_bytes = all.wire_bytes = all.received_bytes = 0;
  for (const JobRun& job : jobs) {
    all.messages += job.run.messages;
    all.repeated_messages += job.run.repeated_messages;
    all.payload_bytes += job.run.payload_bytes;
    all.wire_bytes += job.run.wire_bytes;
    all.received_bytes += job.run.received_bytes;
    all.dropped_gradients += job.run.dropped_gradients;
    all.lost_messages += job.run.lost_messages;
    all.rerouted_messages += job.run.rerouted_messages;
  }
  if (jobs.size() > 1) all.data.reset();
  all.jobs = std::move(jobs);
  return all;
}

LinkSet links_of_job(const Scenario& job, const Platform& platform) {
  LinkMarks marks(platform);
  for (const Phase& phase : job.phases) mark(Job(job, phase, platform), marks);
  return marks.links();
}

LinkSet shared_parts(const Scenario& job, const Platform& platform) {
  LinkSet parts = links_of_job(job, platform);
  if (!in_nic(job)) return parts;
  LinkSet nodes;
  for (const int gpu : job.seat->gpus)
    nodes.push_back(static_cast<std::int32_t>(platform.links().size()) + gpu / job.platform.gpus_per_node);
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  parts.insert(parts.end(), nodes.begin(), nodes.end());
  return parts;
}

LinkSet common_links(const LinkSet& a, const LinkSet& b) {
  LinkSet both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

std::vector<std::vector<std::size_t>> jobs_together(const std::vector<Scenario>& jobs, const Platform& platform) {
  std::vector<LinkSet> links;
  for (const Scenario& job : jobs) links.push_back(jobs.size() > 1 ? shared_parts(job, platform) : LinkSet());
  std::vector<std::size_t> group(jobs.size());
  std::iota(group.begin(), group.end(), 0);
  for (std::size_t j = 1; j < jobs.size(); ++j)
    for (std::size_t other = 0; other < j; ++other) {
      if (group[j] == group[other]) continue;
      if (common_links(links[j], links[other]).empty()) continue;
      const std::size_t kept = std::min(group[j], group[other]), gone = std::max(group[j], group[other]);
      std::ranges::replace(group, gone, kept);
    }
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t g = 0; g < jobs.size(); ++g) {
    std::vector<std::size_t> members;
    for (std::size_t j = 0; j < jobs.size(); ++j)
      if (group[j] == g) members.push_back(j);
    if (!members.empty()) groups.push_back(std::move(members));
  }
  return groups;
}

RunResult simulate_jobs(const Scenario& scenario, const Platform& platform, const SimulateOptions& options, JobsRun how,
                        const RunsPlans& run) {
  const std::vector<Scenario> jobs = job_scenarios(scenario);
  std::vector<std::size_t> everybody(jobs.size());
  std::iota(everybody.begin(), everybody.end(), 0);
  // A timeline must come from one run; with a protocol or other traffic, separate runs gain nothing.
  const bool as_one = how == JobsRun::together || !may_take_shortcuts(scenario) || !scenario.changes.empty() ||
                      options.timeline != nullptr;
  const auto groups = as_one ? std::vector<std::vector<std::size_t>>{everybody} : jobs_together(jobs, platform);
  const auto began = Clock::now();
  std::vector<JobRun> runs(jobs.size());
  std::vector<double> ends(jobs.size());
  std::vector<LinkResult> links;
  std::vector<TrafficResult> traffic; // with any traffic, all jobs are one group
  for (const std::vector<std::size_t>& group : groups) {
    std::vector<std::unique_ptr<TrainingPlans>> plans;
    std::vector<PlanSequence*> sequences;
    for (const std::size_t j : group) {
      plans.push_back(std::make_unique<TrainingPlans>(jobs[j], platform));
      sequences.push_back(plans.back().get());
    }
    EngineOptions engine = engine_options(scenario, platform, options);
    if (engine.wall_limit)
      engine.wall_limit = std::max(std::numeric_limits<double>::min(), *engine.wall_limit - since(began));
    PlansResult found = run(sequences, engine);
    for (std::size_t i = 0; i < group.size(); ++i) {
      JobRun& job = runs[group[i]];
      job.name = jobs[group[i]].seat->name;
      job.start = jobs[group[i]].seat->start;
      job.run = plans[i]->own_result(std::move(found.plans[i]));
      ends[group[i]] = job.run.time;
      count_from_start(job);
    }
    add_use(links, std::move(found.links));
    traffic = std::move(found.traffic);
  }
  return together(std::move(runs), ends, std::move(links), std::move(traffic));
}

} // namespace gradflight
