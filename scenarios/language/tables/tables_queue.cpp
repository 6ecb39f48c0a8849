#include "scenarios/language/tables/tables.hpp"

#include <fmt/format.h>
#include <map>

namespace gradflight {
namespace {

const Table<ListedJob>& listed_job_table() {
  static const auto table = [] {
    Table<ListedJob> t("listed_job",
                       "A job of a list. It trains the workload of the scenario on the requested number of GPUs.");
    t.defaulted("name", &ListedJob::name, text(),
                "Name of the job in results. Absent: \"job0\", \"job1\", ... in order.")
        .for_people();
    t.required("arrival", &ListedJob::arrival, quantity<Seconds>(),
               "Time when the job begins to wait for GPUs; at least that of the job before.");
    t.required("gpus", &ListedJob::gpus, integer(1, max_ranks), "Number of GPUs that the job needs.");
    t.maybe("iterations", &ListedJob::iterations, integer64(1, max_iterations), "Number of iterations to train.");
    t.maybe("run_time", &ListedJob::run_time, positive<Seconds>(),
            "Instead of `iterations`: as many iterations as fit into this time on packed GPUs, and at least one.");
    t.maybe("estimate", &ListedJob::estimate, positive<Seconds>(),
            "The user's estimate of the run time, which backfilling uses; it does not end the job. Absent: the real "
            "run time.");
    t.finally([](const ListedJob& job, const Node& written, Decoder& decoder) {
      if (job.iterations.has_value() == job.run_time.has_value())
        decoder.fail(written.position, job.iterations ? "give either \"iterations\" or \"run_time\", not both"
                                                      : "a job needs \"iterations\" or \"run_time\"");
    });
    return t;
  }();
  return table;
}

/// Checks the consistency of all jobs that could be read.
void check_rows(const std::vector<std::optional<ListedJob>>& jobs, const Node& node, Decoder& decoder) {
  std::map<std::string, std::size_t> names;
  const ListedJob* before = nullptr;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs[i]) continue;
    const auto item = decoder.into(i);
    const auto fail = [&](const char* key, const std::string& message) {
      const auto step = decoder.into(key);
      decoder.fail(node.items[i].find(key)->position, message);
    };
    if (before != nullptr && jobs[i]->arrival.value() < before->arrival.value())
      fail("arrival", fmt::format("{:.6g} s is earlier than the job before, at {:.6g} s; list jobs by arrival",
                                  jobs[i]->arrival.value(), before->arrival.value()));
    before = &*jobs[i];
    if (jobs[i]->name.empty()) continue;
    const auto [other, first] = names.try_emplace(jobs[i]->name, i);
    if (!first) fail("name", fmt::format("job {} has the same name", other->second));
  }
}

Value<std::vector<ListedJob>> rows() {
  auto value = list(object(listed_job_table()), 1);
  value.shape.rows_by_path = value.shape.rows_by_swf = true;
  value.read = [shape = value.shape](const Node& node, Decoder& decoder) -> std::optional<std::vector<ListedJob>> {
    const auto problems = decoder.count();
    if (node.kind != Node::Kind::list || node.items.empty()) {
      wrong_kind(shape, node, decoder);
      return std::nullopt;
    }
    std::vector<std::optional<ListedJob>> jobs;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const auto step = decoder.into(i);
      jobs.push_back(listed_job_table().read(node.items[i], decoder));
    }
    check_rows(jobs, node, decoder);
    if (decoder.count() != problems) return std::nullopt;
    std::vector<ListedJob> all;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      all.push_back(std::move(*jobs[i]));
      if (all.back().name.empty()) all.back().name = fmt::format("job{}", i);
    }
    return all;
  };
  return value;
}

const Table<JobQueue>& queue_table() {
  static const auto table = [] {
    Table<JobQueue> t("job_list", "Jobs that arrive and wait for GPUs. Each trains the `workload` of the scenario with "
                                  "its `training` (docs/jobs.md).");
    t.info.has_rows = true;
    t.required(
        "file", &JobQueue::list, rows(),
        "The jobs by arrival: a trace in the Standard Workload Format (.swf), a CSV or JSON, or the list itself.");
    t.defaulted("queue", &JobQueue::policy,
                choice<QueuePolicy>("a queue", {{"fcfs", QueuePolicy::fcfs}, {"backfill", QueuePolicy::backfill}}),
                "Order of the jobs. fcfs: by arrival. backfill: a later job may start earlier if, by the estimates, it "
                "does not delay the first job in the queue (EASY).");
    t.defaulted("placement", &JobQueue::placement, job_placement(),
                "Placement of each job on the GPUs that are free when it starts, as for one of several jobs.");
    t.defaulted("network", &JobQueue::network,
                choice<QueueNetwork>("a way to share the network",
                                     {{"shared", QueueNetwork::shared}, {"alone", QueueNetwork::alone}}),
                "shared: jobs with common links slow each other down. alone: each job has the network to itself, which "
                "is faster to simulate.");
    t.defaulted("seed", &JobQueue::seed, integer64(0, std::numeric_limits<std::int64_t>::max() - max_iterations),
                "Seed of the random placement; each job has its own draw.")
        .only([](const JobQueue& queue) { return queue.placement == JobPlacement::random; }, "placement \"random\"");
    return t;
  }();
  return table;
}

} // namespace

Value<JobQueue> queue_value() { return object(queue_table()); }

} // namespace gradflight
