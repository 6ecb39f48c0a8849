#include "scenarios/language/tables/tables.hpp"

#include <fmt/format.h>
#include <map>

namespace gradflight {
namespace {

const Table<ListedJob>& listed_job_table() {
  static const auto table = [] {
    Table<ListedJob> t("listed_job",
                       "A job of a list: it trains what the scenario trains, on as many GPUs as it asks for.");
    t.defaulted("name", &ListedJob::name, text(), "For results. Absent: \"job0\", \"job1\", ... in order.")
        .for_people();
    t.required("arrival", &ListedJob::arrival, quantity<Seconds>(),
               "When it begins to wait for its GPUs; not before the job above.");
    t.required("gpus", &ListedJob::gpus, integer(1, max_ranks), "How many it needs, all at once.");
    t.maybe("iterations", &ListedJob::iterations, integer64(1, max_iterations), "How many it trains.");
    t.maybe("run_time", &ListedJob::run_time, positive<Seconds>(),
            "In place of `iterations`: as many as so much time holds on GPUs that are packed, and at least one.");
    t.maybe("estimate", &ListedJob::estimate, positive<Seconds>(),
            "How long its user says that it runs, which is what backfilling goes by; it ends no job. Absent: as long "
            "as it does.");
    t.finally([](const ListedJob& job, const Node& written, Decoder& decoder) {
      if (job.iterations.has_value() == job.run_time.has_value())
        decoder.fail(written.position, job.iterations
                                           ? "either \"iterations\" or \"run_time\", not both"
                                           : "a job needs its \"iterations\", or a \"run_time\" that they fill");
    });
    return t;
  }();
  return table;
}

/// What jobs have to do with each other, of those that could be read.
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
      fail("arrival", fmt::format("time goes backwards: {:.6g} s after {:.6g} s of the job before",
                                  jobs[i]->arrival.value(), before->arrival.value()));
    before = &*jobs[i];
    if (jobs[i]->name.empty()) continue;
    const auto [other, first] = names.try_emplace(jobs[i]->name, i);
    if (!first) fail("name", fmt::format("job {} has this name, too", other->second));
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
    Table<JobQueue> t("job_list",
                      "Jobs that arrive and wait for GPUs, each of which trains the scenario's `workload` by "
                      "its `training` (docs/jobs.md).");
    t.info.has_rows = true;
    t.required(
        "file", &JobQueue::list, rows(),
        "The jobs by arrival: a trace in the Standard Workload Format (.swf), a CSV or JSON, or the list itself.");
    t.defaulted("queue", &JobQueue::policy,
                choice<QueuePolicy>("a queue", {{"fcfs", QueuePolicy::fcfs}, {"backfill", QueuePolicy::backfill}}),
                "Who waits for GPUs gets them in the order of arrival (fcfs); or a later one before, where by the "
                "estimates it does not delay the first in the queue (backfill, EASY).");
    t.defaulted("placement", &JobQueue::placement, job_placement(),
                "Of each job among the GPUs that are free when it starts, as a job's.");
    t.defaulted("network", &JobQueue::network,
                choice<QueueNetwork>("what jobs have of the network",
                                     {{"shared", QueueNetwork::shared}, {"alone", QueueNetwork::alone}}),
                "shared: jobs with links in common slow each other down while both run. alone: each has the network to "
                "itself, which takes less to simulate.");
    t.defaulted("seed", &JobQueue::seed, integer64(0, std::numeric_limits<std::int64_t>::max() - max_iterations),
                "Of the drawing; each job has one of its own.")
        .only([](const JobQueue& queue) { return queue.placement == JobPlacement::random; }, "placement \"random\"");
    return t;
  }();
  return table;
}

} // namespace

Value<JobQueue> queue_value() { return object(queue_table()); }

} // namespace gradflight
