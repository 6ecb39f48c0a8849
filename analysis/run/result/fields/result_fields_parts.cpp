#include "analysis/run/result/fields/result_tables.hpp"
#include "analysis/run/result/uneven_steps.hpp"
#include "platforms/code/describe.hpp"

#include <algorithm>

namespace gradflight {

const ResultTable<RunIteration>& iteration_table() {
  static const auto table = [] {
    using I = const RunIteration&;
    ResultTable<RunIteration> t("iteration", "An iteration.");
    t.count("iteration", "1", "Its number, from 0 over all phases.",
            [](I i) { return static_cast<std::int64_t>(i.number); });
    t.number("end_s", "s", "Time when its last worker had the updated model.",
             [](I i) { return i.outcome.result.iterations[i.number].end; });
    t.number("time_s", "s", "Time since the end of the previous iteration, or since the start.", [](I i) {
      const auto& all = i.outcome.result.iterations;
      return all[i.number].end - (i.number > 0 ? all[i.number - 1].end : 0);
    });
    t.text("phase", "The phase that it belongs to.", [](I i) -> std::optional<std::string> {
       if (i.outcome.scenario.phases.size() < 2) return std::nullopt;
       return phase_of_iteration(i.outcome.scenario, static_cast<std::int64_t>(i.number));
     }).only("several phases");
    return t;
  }();
  return table;
}

const ResultTable<Bottleneck>& bottleneck_table() {
  static const auto table = [] {
    using D = const Bottleneck&;
    ResultTable<Bottleneck> t("bottleneck", "Equal links that delayed messages of the critical path.");
    t.text("link", "The link with the largest cost.", [](D d) { return d.link; });
    t.count("alike", "1",
            "Number of further links like it: their names differ only in numbers, and their bandwidths and bytes are "
            "equal.",
            [](D d) { return static_cast<std::int64_t>(d.alike); });
    t.number("cost_s", "s", "Time that these links added to messages, compared with messages alone.",
             [](D d) { return d.seconds; });
    t.text("with_jobs", "Other jobs with messages on the link with the largest cost.", [](D d) {
       return d.jobs.empty() ? std::nullopt : std::optional(d.jobs);
     }).only("links that jobs share");
    t.text("with_traffic", "Entries of `traffic` with flows on the link with the largest cost.", [](D d) {
       return d.traffic.empty() ? std::nullopt : std::optional(d.traffic);
     }).only("links that `traffic` uses");
    return t;
  }();
  return table;
}

const ResultTable<TrafficResult>& traffic_result_table() {
  static const auto table = [] {
    using T = const TrafficResult&;
    const auto ended = [](T t, double seconds) { return t.ended > 0 ? std::optional(seconds) : std::nullopt; };
    ResultTable<TrafficResult> t("traffic_result", "Results of the flows of an entry of `traffic`.");
    t.text("name", "Name of the entry.", [](T r) { return r.name; });
    t.count("flows", "1", "Number of flows that started before the end of the run.", [](T r) { return r.flows; });
    t.count("ended", "1", "Number of flows that sent all their bytes.", [](T r) { return r.ended; });
    t.number("bytes", "bytes", "Bytes that the flows carried before the end of the run.", [](T r) { return r.bytes; });
    t.number("flow_time_s", "s", "Mean time of completed flows, from the start to the arrival of the last byte.",
             [ended](T r) { return ended(r, r.flow_time); })
        .or_null();
    t.number("longest_flow_time_s", "s", "The longest of these times.", [ended](T r) {
       return ended(r, r.longest_flow_time);
     }).or_null();
    return t;
  }();
  return table;
}

const ResultTable<Bound>& bound_table() {
  static const auto table = [] {
    using B = const Bound&;
    std::vector<std::string> names;
    for (int i = 0; i < bounding_count; ++i)
      if (std::string name = bounding_name(static_cast<Bounding>(i)); names.empty() || names.back() != name)
        names.push_back(std::move(name));
    ResultTable<Bound> t("bound", "The part of a step that has one cause.");
    t.choice("what", names, "The cause.", [](B b) { return bounding_name(b.what); });
    t.number("share", "1", "Share of the step's time.", [](B b) { return b.share; });
    t.text("name", "The name in the verdict for this platform: \"PCIe\", \"NVLink\", \"links between nodes\".",
           [](B b) { return b.noun(); });
    return t;
  }();
  return table;
}

const ResultTable<MeanStep>& mean_step_table() {
  static const auto table = [] {
    using M = const MeanStep&;
    ResultTable<MeanStep> t("mean_step", "The mean of steps that differ.");
    t.number("time_s", "s", "Its time.", [](M m) { return m.time; });
    t.object("breakdown", breakdown_table(), "Parts of its critical path; they sum to `time_s`.",
             [](M m) { return std::optional(RunParts{m.path}); });
    t.list("bound_by", "", bound_table(), "Causes of its time as shares of `time_s`, largest first; they sum to 1.",
           ResultList<MeanStep, const Bound&>{.size = [](M m) { return m.bounds.size(); },
                                              .item = [](M m, std::size_t i) -> const Bound& { return m.bounds[i]; }});
    return t;
  }();
  return table;
}

const ResultTable<LinkGroup>& link_group_table() {
  static const auto table = [] {
    using G = const LinkGroup&;
    ResultTable<LinkGroup> t("link_group", "Links with names that differ only in numbers.");
    t.text("name", "The names with `*` for each number: `node*.up`.", [](G g) { return g.names; });
    t.choice("tier", link_tier_names(), "The kind of component that the links belong to.",
             [](G g) { return link_tier_name(g.tier); });
    t.count("count", "1", "Number of links.", [](G g) { return g.count; });
    t.count("used", "1", "Number of links that carried data.", [](G g) { return g.used; });
    t.count("bandwidth_bytes_per_s", "bytes/s", "Bandwidth of each link.", [](G g) { return g.bandwidth; });
    t.count("bytes", "bytes", "Bytes that all links carried together.", [](G g) { return g.bytes; });
    t.count("largest_bytes", "bytes", "Bytes of the link that carried most.", [](G g) { return g.most_bytes; });
    t.number("largest_busy_s", "s", "Longest time for which one link had a transfer.", [](G g) { return g.most_busy; });
    t.number("largest_utilisation", "1", "Utilisation of the busiest link.", [](G g) { return g.most_utilisation; });
    t.number("mean_utilisation", "1", "Mean utilisation over all links.", [](G g) { return g.mean_utilisation; });
    return t;
  }();
  return table;
}

const ResultTable<Note>& note_table() {
  static const auto table = [] {
    using N = const Note&;
    ResultTable<Note> t("note", "A note about the reliability of a result.");
    t.choice("kind", {"assumed", "warning"},
             "The kind: assumed, for a value that nobody measured, or a warning about a likely mistake.",
             [](N n) { return n.warning ? "warning" : "assumed"; });
    t.text("text", "The note.", [](N n) { return n.text; });
    return t;
  }();
  return table;
}

const ResultTable<ChangeRow>& change_row_table() {
  static const auto table = [] {
    using C = const ChangeRow&;
    ResultTable<ChangeRow> t("change_that_came", "A change during the run.");
    t.number("at_s", "s", "Time of the change.", [](C c) { return c.at; });
    t.count("entry", "1", "Index in the scenario's `changes`, from 0.",
            [](C c) { return static_cast<std::int64_t>(c.entry); });
    t.text("of", "The component that changed: \"node3.up\", \"nodes 0-3\", \"GPU 2\".", [](C c) { return c.target; });
    t.text("what", "The new state of the component: \"bandwidth 4 Gbps\".", [](C c) { return c.what; });
    return t;
  }();
  return table;
}

const ResultTable<RunJob>& job_result_table() {
  static const auto table = [] {
    using J = const RunJob&;
    ResultTable<RunJob> t("job_result", "The result of one of several jobs. Its times count from its start.");
    t.text("name", "Its name.", [](J j) { return j.job.name; });
    t.number("start_s", "s", "Start of the job, on the clock of the run.", [](J j) { return j.job.start; });
    t.number("end_s", "s", "End of its last operation, on the clock of the run.",
             [](J j) { return j.job.start + j.job.run.time; });
    t.number("time_s", "s", "Time from its start to its end.", [](J j) { return j.job.run.time; });
    t.number("slowdown", "1",
             "`time_s` divided by its time alone on the platform; null without --alone. For a job of a list: (waiting "
             "time + `time_s`) divided by `time_s`.",
             [](J j) { return slowdown(j.job); })
        .or_null();
    const auto of_list = [](auto get) {
      return [get](J j) { return j.job.queued ? std::optional(get(*j.job.queued)) : std::nullopt; };
    };
    t.number("arrival_s", "s", "Time when it began to wait for GPUs, on the clock of the run.",
             of_list([](const QueuedRun& q) { return q.arrival; }))
        .only("a list of jobs");
    t.number("waiting_s", "s", "Time from its arrival to its start.", [](J j) {
       return waiting(j.job);
     }).only("a list of jobs");
    t.count("gpus", "1", "Number of GPUs.", of_list([](const QueuedRun& q) { return std::int64_t{q.gpus}; }))
        .only("a list of jobs");
    t.count("iterations", "1", "Number of iterations that it trained.",
            of_list([](const QueuedRun& q) { return q.iterations; }))
        .only("a list of jobs");
    t.truth("overtook", "true: it started before a job that had arrived earlier.",
            of_list([](const QueuedRun& q) { return q.overtook; }))
        .only("a list of jobs");
    t.count("jobs_on_its_links", "1",
            "Number of jobs that ran at the same time on common links. With `jobs.network` \"alone\", their effect is "
            "not simulated, so times may be too short.",
            of_list([](const QueuedRun& q) { return std::int64_t{q.shared_with}; }))
        .only("a list of jobs");
    t.number("time_alone_s", "s", "Time of the job on its GPUs without other jobs.", [](J j) {
       return j.job.queued ? j.job.alone_time : std::nullopt;
     }).only("a list of jobs");
    t.number("iteration_time_s", "s", "Like this key of the result.", [](J j) { return j.job.run.iteration_time; });
    t.number("mean_step_time_s", "s", "Mean time of the steps of its last phase, if they differ.", [](J j) {
       return j.outcome != nullptr ? mean_of_phase(j.outcome->scenario, j.job.run) : std::nullopt;
     }).only("steps that differ");
    t.number("compute_time_s", "s", "Like this key of the result.", [](J j) { return j.job.run.compute_time; });
    t.number("communication_time_s", "s", "Like this key of the result.",
             [](J j) { return j.job.run.communication_time; });
    t.number("exposed_communication_time_s", "s", "Like this key of the result.",
             [](J j) { return j.job.run.exposed_communication_time; });
    t.count("messages", "1", "Like this key of the result.", [](J j) { return j.job.run.messages; });
    t.count("payload_bytes", "bytes", "Like this key of the result.", [](J j) { return j.job.run.payload_bytes; });
    t.count("wire_bytes", "bytes", "Like this key of the result.", [](J j) { return j.job.run.wire_bytes; });
    t.count("dropped_gradients", "1", "Like this key of the result.", [](J j) { return j.job.run.dropped_gradients; });
    t.object("closed_form", closed_form_table(),
             "The closed form of the job alone, compared with its `time_s`; null if it has none.",
             [](J j) {
               return j.outcome != nullptr && j.outcome->form.form
                          ? std::optional<RunForm>({*j.outcome->form.form, *j.outcome})
                          : std::nullopt;
             })
        .or_null();
    t.text("closed_form_missing", "Why the job has no closed form.", [](J j) {
       if (j.outcome == nullptr) return std::optional<std::string>("no closed form: it is a job of a list");
       return j.outcome->form.form ? std::nullopt : std::optional(j.outcome->form.why_none);
     }).only("`closed_form` null");
    t.object("breakdown", breakdown_table(), "Parts of its time; they sum to its `time_s`.",
             [](J j) { return std::optional(RunParts{j.job.run.path}); });
    t.object("iteration_breakdown", breakdown_table(), "Parts of the time of its last iteration.",
             [](J j) { return std::optional(RunParts{j.job.run.iteration_path}); });
    t.list("bottlenecks", "", bottleneck_table(),
           "Links that cause its `contention_s`, largest first. Empty for a job of a list.",
           ResultList<RunJob, const Bottleneck&>{
               .size = [](J j) { return j.outcome == nullptr ? 0 : j.outcome->bottlenecks.size(); },
               .item = [](J j, std::size_t i) -> const Bottleneck& { return j.outcome->bottlenecks[i]; }});
    return t;
  }();
  return table;
}

const ResultTable<RunQueue>& queue_result_table() {
  static const auto table = [] {
    using Q = const RunQueue&;
    static const auto moments = [] {
      using M = const QueueMoment&;
      ResultTable<QueueMoment> t("queue_moment", "The load of the platform from a time on.");
      t.number("at_s", "s", "Start of this load, on the clock of the run.", [](M m) { return m.at; });
      t.count("gpus_busy", "1", "Number of GPUs with a job.", [](M m) { return std::int64_t{m.gpus_busy}; });
      t.count("jobs_waiting", "1", "Number of jobs that had arrived but not started.",
              [](M m) { return std::int64_t{m.jobs_waiting}; });
      return t;
    }();
    ResultTable<RunQueue> t("queue_result", "A list of jobs that waited for GPUs.");
    t.number("mean_waiting_s", "s", "Mean time from arrival to start, over all jobs.",
             [](Q q) { return mean_waiting(q.outcome.result.jobs); });
    t.count("jobs_simulated", "1", "Number of different jobs; jobs of equal size and shape are simulated once.",
            [](Q q) { return std::int64_t{q.queue.shapes}; });
    t.count("groups_simulated", "1",
            "Number of simulations of jobs with common links, each after a job joined or left. Equal sets of jobs that "
            "start together are simulated once.",
            [](Q q) { return std::int64_t{q.queue.companies}; });
    t.number("network_slowdown", "1",
             "Time of all jobs divided by their times alone on their GPUs: the cost of sharing.",
             [](Q q) { return network_slowdown(q.outcome.result.jobs); });
    t.count("jobs_unsteady", "1",
            "Number of jobs with iterations that do not repeat; a mean replaces those that were not simulated.",
            [](Q q) { return std::int64_t{q.queue.unsteady}; });
    t.count("jobs_sharing_links", "1", "Number of jobs with `jobs_on_its_links`.", [](Q q) {
      return std::ranges::count_if(q.outcome.result.jobs,
                                   [](const JobRun& job) { return job.queued->shared_with > 0; });
    });
    t.list("over_time", "", moments, "The load after each change, in order of time.",
           ResultList<RunQueue, const QueueMoment&>{
               .size = [](Q q) { return q.queue.moments.size(); },
               .item = [](Q q, std::size_t i) -> const QueueMoment& { return q.queue.moments[i]; }});
    return t;
  }();
  return table;
}

} // namespace gradflight
