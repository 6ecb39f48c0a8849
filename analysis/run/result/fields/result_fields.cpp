#include "analysis/run/result/fields/result_fields.hpp"

#include "analysis/run/forms/closed_form.hpp"
#include "analysis/run/result/fields/result_tables.hpp"
#include "analysis/run/result/memory.hpp"
#include "base/nearest_name.hpp"
#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/model_version.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gradflight {
namespace {

std::string no_jobs(const PlannedRun& run) { return run.scenario.one_job() ? "this scenario has no \"jobs\"" : ""; }

std::string no_queue(const PlannedRun& run) {
  return run.scenario.queue ? "" : "this scenario has no list of jobs that wait for GPUs (jobs.file)";
}

std::string no_such_job(const PlannedRun& run, const std::string& item) {
  std::vector<std::string> names;
  for (const JobSpec& job : run.scenario.jobs) names.push_back(job.name);
  if (run.scenario.queue)
    for (const ListedJob& job : run.scenario.queue->list) names.push_back(job.name);
  if (std::ranges::find(names, item) != names.end()) return {};
  if (const auto number = item_number(item); number && *number < names.size()) return {};
  return fmt::format("job \"{}\" does not exist: jobs are numbered from 0 to {}", item, names.size() - 1);
}

std::string no_such_traffic(const PlannedRun& run, const std::string& item) {
  const auto& all = run.scenario.traffic;
  if (all.empty()) return "this scenario has no \"traffic\"";
  if (std::ranges::find(all, item, &TrafficSpec::name) != all.end()) return {};
  if (const auto number = item_number(item); number && *number < all.size()) return {};
  std::vector<std::string> names;
  for (const TrafficSpec& entry : all) names.push_back(entry.name);
  return fmt::format("traffic \"{}\" does not exist{}", item, did_you_mean(item, names));
}

std::size_t omitted(const Outcome& outcome) {
  const auto count = outcome.result.iterations.size();
  return count > iterations_kept ? count - iterations_kept : 0;
}

std::string no_such_iteration(const PlannedRun& run, const std::string& item) {
  const auto number = item_number(item);
  if (number && run.scenario.queue) return {}; // only a run determines how many there are
  using Kept = decltype(RunResult::iterations);
  const auto last = total_iterations(run.scenario) - 1, count = last + 1;
  if (number && *number <= static_cast<std::size_t>(last)) {
    const bool all = count <= static_cast<std::int64_t>(Kept::most);
    if (all || *number < Kept::half || *number + Kept::half >= static_cast<std::size_t>(count)) return {};
    return fmt::format("iteration {} is left out: a result keeps the first and the last {} of {}", *number, Kept::half,
                       count);
  }
  if (run.scenario.queue) return fmt::format("iteration \"{}\" does not exist: iterations are numbered from 0", item);
  return fmt::format("iteration \"{}\" does not exist: the result has iterations 0 to {}", item, last);
}

std::string no_such_link(const PlannedRun& run, const std::string& item) {
  constexpr std::size_t shown = 8;
  const auto& links = run.platform.links();
  if (std::ranges::find(links, item, &DirectedLink::name) != links.end()) return {};
  if (const auto number = item_number(item); number && *number < links.size()) return {};
  std::vector<std::string> names;
  for (const DirectedLink& l : links) names.push_back(l.name);
  const auto near = nearest_name(item, names);
  std::string text = fmt::format("unknown link \"{}\"", item);
  if (!near.empty()) text += fmt::format("; did you mean \"{}\"?", near);
  text += near.empty() ? ". Links: " : " Links: ";
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > shown) text += fmt::format(", ... ({} in all)", names.size());
  return text;
}

std::string no_link_groups(const PlannedRun& run) {
  if (run.platform.links().size() > links_listed) return {};
  return fmt::format("a result lists up to {} links one by one (links.LINK)", links_listed);
}

std::string no_data(const PlannedRun& run) {
  const auto has_tensors = [](const Phase& p) { return !p.training.compression.tensors.directory.empty(); };
  if (std::ranges::any_of(run.scenario.phases, has_tensors)) return {};
  return "this scenario has no real gradients (training.compression.tensors)";
}

std::string no_failures(const PlannedRun& run) {
  return run.scenario.failures ? "" : "nothing fails in this scenario (failures)";
}

std::string no_losses(const PlannedRun& run) {
  return loses_messages(run.scenario) ? "" : "no message is lost in this scenario (recovery: resend or reroute)";
}

std::string no_race(const PlannedRun& run) {
  return run.scenario.platform.protocol ? "" : "this scenario has no protocol with announcements that could race";
}

std::string no_own_pace(const PlannedRun& run) {
  const bool waits =
      !run.scenario.one_job() || run.scenario.phases.back().training.exchange.consistency == Consistency::synchronous;
  return waits ? "the workers of this scenario wait for each other (training.exchange.consistency)" : "";
}

std::string no_form(const PlannedRun& run) {
  const ClosedFormAnswer answer = closed_form(run.scenario, run.platform);
  return answer.form ? "" : "this scenario has " + answer.why_none;
}

ResultTable<Outcome> table_of_results() {
  using O = const Outcome&;
  ResultTable<Outcome> t("result", "The result of a run: `run --json`, and `result.json` in a run directory.");
  t.text("scenario", "The scenario's name, or the base name of its file.", [](O o) { return o.scenario.name; }).label();
  t.text("id",
         "Identifier of the scenario with every default filled in and of the model version: 16 hexadecimal digits.",
         [](O o) { return o.id; })
      .label();
  t.text("model_version",
         "Version of the model that produced this result. Times of different versions cannot be compared.",
         [](O) { return std::string(model_version); })
      .label();
  t.choice("engine", {"hybrid", "simgrid"}, "The simulation engine.", [](O o) {
     return engine_name(o.scenario.engine.kind);
   }).label();
  t.number("time_s", "s", "End of the last operation, including the cost of failures.",
           [](O o) { return o.result.time; });
  t.number(
      "iteration_time_s", "s",
      "Time of a steady-state step: the time between the last two updates before a pipeline drains. With one "
      "iteration, or too few for the pipeline, the mean time from the start. A note says if a pipeline has too few "
      "iterations for a steady step.",
      [](O o) { return o.result.iteration_time; });
  t.number("mean_iteration_time_s", "s",
           "Mean step of workers that do not wait for each other: the number of workers over the iterations per second "
           "of all of them together (docs/model.md). `iteration_time_s` is that of the slowest worker.",
           [](O o) { return o.mean_step; })
      .only("servers that are asynchronous or bound the staleness; no `jobs`")
      .why_none(no_own_pace);
  t.object("mean_step", mean_step_table(),
           "The mean of steps that differ, because something happens during the run, or because only each k-th step "
           "exchanges (`every`). In the second case, it is the mean of the last cycle if nothing else makes steps "
           "differ.",
           [](O o) { return o.mean ? &*o.mean : nullptr; })
      .only("steps that differ; no `jobs`");
  t.text("verdict", "A sentence that says what bounds the step.",
         [](O o) { return o.scenario.one_job() ? std::optional(o.verdict) : std::nullopt; })
      .only("no `jobs`")
      .label();
  t.list("bound_by", "", bound_table(),
         "Causes of the step time as shares of `iteration_time_s`, largest first; they sum to 1. They come from the "
         "critical path of the last iteration (docs/answers.md).",
         ResultList<Outcome, const Bound&>{.size = [](O o) { return o.bounds.size(); },
                                           .item = [](O o, std::size_t i) -> const Bound& { return o.bounds[i]; },
                                           .absent = [](O o) { return !o.scenario.one_job(); }})
      .only("no `jobs`");
  t.count("memory_per_gpu_bytes", "bytes",
          "GPU memory for weights, gradients and Adam's state in mixed precision, without activations.",
          [](O o) { return o.scenario.one_job() ? std::optional(memory_per_gpu(o.scenario).bytes) : std::nullopt; })
      .only("no `jobs`");
  t.list("notes", "", note_table(), "Assumptions and warnings.",
         ResultList<Outcome, const Note&>{.size = [](O o) { return o.notes.size(); },
                                          .item = [](O o, std::size_t i) -> const Note& { return o.notes[i]; },
                                          .absent = [](O o) { return !o.scenario.one_job(); }})
      .only("no `jobs`");
  t.number(
      "compute_time_s", "s",
      "Time of the forward and backward passes and the update of the busiest rank, per iteration of the last phase.",
      [](O o) { return o.result.compute_time; });
  t.number("communication_time_s", "s",
           "Time per iteration of the last phase in which at least one message is under way between two ranks.",
           [](O o) { return o.result.communication_time; });
  t.number("exposed_communication_time_s", "s",
           "Time per iteration of the last phase in which messages are under way and no rank computes.",
           [](O o) { return o.result.exposed_communication_time; });
  t.count("messages", "1",
          "Messages between different ranks over the whole run. Messages of a rank to itself take no time and are not "
          "counted.",
          [](O o) { return o.result.messages; });
  t.count("payload_bytes", "bytes", "Dense bytes of all messages.", [](O o) { return o.result.payload_bytes; });
  t.count(
      "wire_bytes", "bytes",
      "Bytes of all messages after compression, with what a library's protocol adds (flags of LL, headers), and with "
      "a compressing NIC's headers and framing.",
      [](O o) { return o.result.wire_bytes; });
  t.count(
      "dropped_gradients", "1",
      "With backup workers: gradients that were too late for their step, also those that arrive after the end of the "
      "run. These are `backup_workers` for each step, bucket and server.",
      [](O o) { return o.result.dropped_gradients; });
  t.number("other_race_time_s", "s",
           "`time_s` if the other side won all races between announcements of large messages "
           "(platform.protocol.announcements). Real times are usually between the two; they can be outside if single "
           "exchanges differ.",
           [](O o) { return o.result.other_race_time; })
      .only("platform.protocol, where it differs from `time_s`")
      .why_none(no_race);
  t.object("data", data_table(), "What happened to the real gradients.",
           [](O o) { return o.result.data ? &*o.result.data : nullptr; })
      .only("training.compression.tensors")
      .why_none(no_data);
  t.list("jobs", "JOB", job_result_table(),
         "The results of several jobs, one by one. The top-level `time_s` is then the end of the last job. Messages "
         "and bytes are sums over all jobs. Everything else is of the job that ends last (`last_job`).",
         ResultList<Outcome, RunJob>{
             .size = [](O o) { return o.result.jobs.size(); },
             .item =
                 [](O o, std::size_t i) {
                   return RunJob{o.result.queue ? nullptr : &o.jobs[i], o.result.jobs[i]};
                 },
             .name = [](O o, std::size_t i) -> const std::string& { return o.result.jobs[i].name; },
             .absent = [](O o) { return o.result.jobs.empty(); }})
      .only("`jobs`")
      .why_none(no_jobs)
      .wrong_item(no_such_job);
  t.text(
       "last_job", "Name of the job that ends last.",
       [](O o) { return o.result.jobs.empty() ? std::nullopt : std::optional(o.result.jobs[o.result.last_job].name); })
      .only("`jobs`")
      .label();
  t.number("fairness", "1",
           "Jain's fairness index of the slowdowns of the jobs: 1 if all jobs are slowed down equally.",
           [](O o) { return fairness(o.result.jobs); })
      .only("`jobs` and --alone, or a list of jobs")
      .why_none(no_jobs);
  t.number("makespan_s", "s", "When the last job of the list ended: `time_s`.",
           [](O o) { return o.result.queue ? std::optional(o.result.time) : std::nullopt; })
      .only("a list of jobs")
      .why_none(no_queue);
  t.number("utilisation", "1", "Share of GPU time in use by jobs, from the first arrival to the last end.",
           [](O o) { return o.result.queue ? std::optional(o.result.queue->utilisation) : std::nullopt; })
      .only("a list of jobs")
      .why_none(no_queue);
  t.object("queue", queue_result_table(), "How jobs waited for GPUs.",
           [](O o) {
             return o.result.queue ? std::optional(RunQueue{o, *o.result.queue}) : std::nullopt;
           })
      .only("a list of jobs")
      .why_none(no_queue);
  t.object("closed_form", closed_form_table(),
           "The closed form of the scenario, compared with `time_s`; null if it has none.",
           [](O o) {
             return o.form.form ? std::optional<RunForm>({*o.form.form, o}) : std::nullopt;
           })
      .or_null()
      .why_none(no_form);
  t.text("closed_form_missing", "Why the scenario has no closed form.", [](O o) {
     return o.form.form ? std::nullopt : std::optional(o.form.why_none);
   }).only("`closed_form` null");
  t.object(
      "breakdown", breakdown_table(),
      "Parts of the time of the whole run; they sum to `time_s` minus the time that restarts lost. With `jobs`, they "
      "are those of the job that ends last.",
      [](O o) {
        return std::optional(RunParts{o.result.path, before_start(o.result)});
      });
  t.object("iteration_breakdown", breakdown_table(),
           "Parts of the time of the last iteration; they sum to `iteration_time_s`.",
           [](O o) { return std::optional(RunParts{o.result.iteration_path}); });
  t.list("bottlenecks", "", bottleneck_table(),
         "Links that cause `contention_s` and `traffic_s` of the whole run, largest first; equal links have equal "
         "costs. Empty with the engine `simgrid`.",
         ResultList<Outcome, const Bottleneck&>{
             .size = [](O o) { return o.bottlenecks.size(); },
             .item = [](O o, std::size_t i) -> const Bottleneck& { return o.bottlenecks[i]; }});
  t.list("changes", "", change_row_table(),
         "The changes of the scenario that happened before the end, at most the first 10,000.",
         ResultList<Outcome, const ChangeRow&>{
             .size = [](O o) { return o.changes.size(); },
             .item = [](O o, std::size_t i) -> const ChangeRow& { return o.changes[i]; },
             .absent = [](O o) { return o.changes.empty(); }})
      .only("changes during the run");
  t.list("traffic", "ENTRY", traffic_result_table(),
         "Results of the flows of other users, one for each entry of `traffic`.",
         ResultList<Outcome, const TrafficResult&>{
             .size = [](O o) { return o.result.traffic.size(); },
             .item = [](O o, std::size_t i) -> const TrafficResult& { return o.result.traffic[i]; },
             .name = [](O o, std::size_t i) -> const std::string& { return o.result.traffic[i].name; },
             .absent = [](O o) { return o.result.traffic.empty(); }})
      .only("`traffic`")
      .wrong_item(no_such_traffic);
  t.number("goodput", "1", "Useful time divided by `time_s`.",
           [](O o) { return o.result.failures ? std::optional(o.result.failures->first.goodput()) : std::nullopt; })
      .only("failures")
      .why_none(no_failures);
  t.object("lost_time_s", lost_time_table(), "`time_s` minus useful time, by cause.",
           [](O o) { return o.result.failures ? &o.result.failures->first : nullptr; })
      .only("failures")
      .why_none(no_failures);
  t.object("failures", failures_result_table(), "Failures and their effects on the job.", failures_of)
      .only("failures")
      .why_none(no_failures);
  t.count("lost_messages", "1", "Number of messages that were lost because a link of their route went down.",
          [](O o) { return loses_messages(o.scenario) ? std::optional(o.result.lost_messages) : std::nullopt; })
      .only("recovery resend or reroute")
      .why_none(no_losses);
  t.count("rerouted_messages", "1", "Number of messages that took another route than usual.",
          [](O o) { return loses_messages(o.scenario) ? std::optional(o.result.rerouted_messages) : std::nullopt; })
      .only("recovery resend or reroute")
      .why_none(no_losses);
  t.count("iteration_count", "1",
          "Number of iterations of all phases. Of a list of jobs, or of a job that restarts after failures: number of "
          "`iterations`, the simulated ones.",
          [](O o) { return static_cast<std::int64_t>(o.result.iterations.size()); });
  t.count("iterations_omitted", "1",
          "Number of iterations that `iterations` leaves out in the middle, if it has more than 10,000.",
          [](O o) { return static_cast<std::int64_t>(omitted(o)); });
  t.list("iterations", "", iteration_table(),
         "The iterations in order. A list of jobs has the simulated ones of the job that ends last, and none if other "
         "jobs slowed this job down.",
         ResultList<Outcome, RunIteration>{
             .size = [](O o) { return o.result.iterations.size(); },
             .item =
                 [](O o, std::size_t i) {
                   return RunIteration{o, i};
                 },
             .left_out_of_json = [](O o) { return std::pair(iterations_kept / 2, iterations_kept / 2 + omitted(o)); }})
      .wrong_item(no_such_iteration);
  t.list("links", "LINK", link_table(),
         "Each direction of each link, in the order of the platform; then the stages of compressing NICs.",
         ResultList<Outcome, RunLink>{
             .size = [](O o) { return o.result.links.size(); },
             .item =
                 [](O o, std::size_t i) {
                   return RunLink{o.result.links[i], o.result.time};
                 },
             .name = [](O o, std::size_t i) -> const std::string& { return o.result.links[i].name; },
             .absent = [](O o) { return !o.link_groups.empty(); }})
      .only("at most 10,000 links, or --links all")
      .wrong_item(no_such_link);
  t.list("link_groups", "", link_group_table(),
         "Groups of links with similar names and equal bandwidth, in the order of the platform.",
         ResultList<Outcome, const LinkGroup&>{
             .size = [](O o) { return o.link_groups.size(); },
             .item = [](O o, std::size_t i) -> const LinkGroup& { return o.link_groups[i]; },
             .absent = [](O o) { return o.link_groups.empty(); }})
      .only("more than 10,000 links, or --links groups")
      .why_none(no_link_groups);
  return t;
}

} // namespace

const ResultTable<RunParts>& breakdown_table() {
  static const auto table = [] {
    using P = const RunParts&;
    ResultTable<RunParts> t("breakdown", "Parts of the time of the critical path; they sum to the whole.", "part");
    for (std::size_t i = 0; i < part_rows().size(); ++i)
      t.number(std::string(part_rows()[i].name) + "_s", "s", part_rows()[i].meaning, [i](P p) { return p.path[i]; });
    t.number("before_start_s", "s",
             "Time before the start of the job that ends last, including its wait in a list of jobs. The parts are "
             "those of this job.",
             [](P p) { return p.before_start; })
        .only("`breakdown` of a result with `jobs`");
    return t;
  }();
  return table;
}

const ResultTable<RunLink>& link_table() {
  static const auto table = [] {
    using L = const RunLink&;
    ResultTable<RunLink> t("link", "A direction of a link.");
    t.text("name", "Name of the link, as in `platform.overrides`.", [](L l) { return l.link.name; });
    t.count("bandwidth_bytes_per_s", "bytes/s", "Its bandwidth without changes.", [](L l) { return l.link.bandwidth; });
    t.count("bytes", "bytes", "Bytes that it carried.", [](L l) { return l.link.bytes; });
    t.number("busy_s", "s", "Time with at least one transfer on the link.", [](L l) { return l.link.busy; });
    t.number("utilisation", "1",
             "Utilisation: bytes divided by what the link could have carried in the run, with the bandwidth that it "
             "had at each "
             "time. At most 1; a burst of `platform.protocol` takes no time.",
             [](L l) { return utilisation(l.link, l.run_time); });
    return t;
  }();
  return table;
}

const ResultTable<FailedRun>& failed_run_table() {
  static const auto table = [] {
    using F = const FailedRun&;
    ResultTable<FailedRun> t(
        "failed_run", "A scenario without a result, in the list that `run --json` prints for several scenarios.");
    t.text("scenario", "The scenario's name, or the base name of its file.", [](F f) { return f.scenario; });
    t.text("error", "The mistakes in the scenario, or the reason why the simulation failed.",
           [](F f) { return f.error; });
    return t;
  }();
  return table;
}

const ResultTable<Outcome>& result_table() {
  static const auto table = table_of_results();
  return table;
}

} // namespace gradflight
