#include "scenarios/language/tables/tables.hpp"

#include <fmt/format.h>

namespace gradflight {

std::vector<Phase> phases_of(TrainingForm form) {
  std::vector<Phase> phases = std::move(form.warmup);
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (phases[i].name.empty()) phases[i].name = fmt::format("warmup{}", i);
  phases.push_back({"main", std::move(form.main)});
  return phases;
}

std::optional<TrainingForm> training_form(std::vector<Phase> phases) {
  if (phases.empty()) return std::nullopt;
  TrainingForm form{std::move(phases.back().training), {}};
  phases.pop_back();
  form.warmup = std::move(phases);
  return form;
}

Value<JobPlacement> job_placement() {
  return choice<JobPlacement>("a placement of jobs", {{"packed", JobPlacement::packed},
                                                      {"round_robin", JobPlacement::round_robin},
                                                      {"by_rack", JobPlacement::by_rack},
                                                      {"random", JobPlacement::random}});
}

const Table<JobSpec>& job_table() {
  static const auto table = [] {
    Table<JobSpec> t("job", "One of several jobs on the platform. Jobs share links, never GPUs.");
    t.defaulted("name", &JobSpec::name, text(), "Name of the job in results. Absent: \"job0\", \"job1\", ... in order.")
        .for_people();
    t.required("workload", &JobSpec::workload, workload_value(), "Like this key of the scenario.");
    t.custom<TrainingForm>(
        "training", training_value(), [](JobSpec& job, TrainingForm form) { job.phases = phases_of(std::move(form)); },
        [](const JobSpec& job) { return training_form(job.phases); }, "Like this key of the scenario.");
    t.info.fields.back().required = true;
    t.custom<std::vector<int>>(
        "ranks", list(integer(0, max_ranks - 1), 1),
        [](JobSpec& job, std::vector<int> ranks) { job.ranks = std::move(ranks); },
        [](const JobSpec& job) { return job.ranks.empty() ? std::nullopt : std::optional(job.ranks); },
        "The GPU of each rank; GPUs are numbered node by node from 0. Absent: `count` gives their number.");
    const auto counted = [](const JobSpec& job) { return job.ranks.empty(); };
    t.maybe("count", &JobSpec::count, integer(1, max_ranks), "Number of ranks, on GPUs that no other job uses.")
        .only(counted, "a job without \"ranks\"");
    t.defaulted("placement", &JobSpec::placement, job_placement(),
                "Which free GPUs the job gets. packed: node after node. round_robin: one node after the other in turn. "
                "by_rack: in as few racks as possible. random: drawn with the seed.")
        .only(counted, "a job without \"ranks\"");
    t.defaulted("seed", &JobSpec::seed, integer64(0, std::numeric_limits<std::int64_t>::max()),
                "Seed of the random placement.")
        .only([](const JobSpec& job) { return job.ranks.empty() && job.placement == JobPlacement::random; },
              "placement \"random\"");
    t.defaulted("start", &JobSpec::start, quantity<Seconds>(), "Start of the job on the simulated clock.");
    return t;
  }();
  return table;
}

Value<JobsForm> jobs_value() {
  auto listed = mapped<std::vector<JobSpec>, JobsForm>(
      list(object(job_table()), 1),
      [](std::vector<JobSpec> jobs) {
        for (std::size_t i = 0; i < jobs.size(); ++i)
          if (jobs[i].name.empty()) jobs[i].name = fmt::format("job{}", i);
        return JobsForm{std::move(jobs), {}};
      },
      [](const JobsForm& form) { return form.jobs; });
  auto queued = mapped<JobQueue, JobsForm>(
      queue_value(),
      [](JobQueue queue) {
        return JobsForm{{}, std::move(queue)};
      },
      [](const JobsForm& form) { return form.queue.value_or(JobQueue{}); });
  return either<JobsForm>(
      std::move(listed), std::move(queued), [](const Node& node) { return node.kind == Node::Kind::list; },
      [](const JobsForm& form) { return !form.queue; });
}

} // namespace gradflight
