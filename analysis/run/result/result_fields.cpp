#include "analysis/run/result/result_fields.hpp"

#include "analysis/run/forms/closed_form.hpp"
#include "analysis/run/result/memory.hpp"
#include "analysis/run/result/result_tables.hpp"
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
  return fmt::format("there is no job \"{}\": they are numbered from 0 to {}", item, names.size() - 1);
}

std::size_t omitted(const Outcome& outcome) {
  const auto count = outcome.result.iterations.size();
  return count > iterations_kept ? count - iterations_kept : 0;
}

std::string no_such_iteration(const PlannedRun& run, const std::string& item) {
  const auto last = std::min(total_iterations(run.scenario), static_cast<std::int64_t>(iterations_kept)) - 1;
  const auto number = item_number(item);
  if (number && *number <= static_cast<std::size_t>(last)) return {};
  return fmt::format("there is no iteration \"{}\": the result has those from 0 to {}", item, last);
}

std::string no_such_link(const PlannedRun& run, const std::string& item) {
  constexpr std::size_t shown = 8;
  const auto& links = run.platform.links();
  if (std::ranges::find(links, item, &DirectedLink::name) != links.end()) return {};
  if (const auto number = item_number(item); number && *number < links.size()) return {};
  std::vector<std::string> names;
  for (const DirectedLink& l : links) names.push_back(l.name);
  const auto near = nearest_name(item, names);
  std::string text = fmt::format("there is no link \"{}\"", item);
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
  return run.scenario.platform.protocol ? "" : "this scenario has no protocol whose announcements could race";
}

std::string no_form(const PlannedRun& run) {
  const ClosedFormAnswer answer = closed_form(run.scenario, run.platform);
  return answer.form ? "" : "this scenario has " + answer.why_none;
}

ResultTable<Outcome> table_of_results() {
  using O = const Outcome&;
  ResultTable<Outcome> t("result", "What a run yields: `run --json`, and `result.json` of a run directory.");
  t.text("scenario", "The scenario's name, or the base name of its file.", [](O o) { return o.scenario.name; }).label();
  t.text("id", "Of the scenario with every default filled in and the model's version: 16 hexadecimal digits.", [](O o) {
     return o.id;
   }).label();
  t.text("model_version", "Of the model that made this result: times of different versions cannot be compared.", [](O) {
     return std::string(model_version);
   }).label();
  t.choice("engine", {"hybrid", "simgrid"}, "What moved the bytes.", [](O o) {
     return engine_name(o.scenario.engine.kind);
   }).label();
  t.number("time_s", "s", "When the last operation ended; with what failures cost.", [](O o) { return o.result.time; });
  t.number(
      "iteration_time_s", "s",
      "The steady-state step: the distance of the last two updates, before a pipeline drains; of the start and the "
      "update where there is one iteration.",
      [](O o) { return o.result.iteration_time; });
  t.text("verdict", "What bounds the step, in a sentence.",
         [](O o) { return o.scenario.one_job() ? std::optional(o.verdict) : std::nullopt; })
      .only("no `jobs`")
      .label();
  t.list("bound_by", "", bound_table(),
         "The same as shares of `iteration_time_s`, largest first: they sum to 1. From the last iteration's critical "
         "path (docs/answers.md).",
         ResultList<Outcome, const Bound&>{.size = [](O o) { return o.bounds.size(); },
                                           .item = [](O o, std::size_t i) -> const Bound& { return o.bounds[i]; },
                                           .absent = [](O o) { return !o.scenario.one_job(); }})
      .only("no `jobs`");
  t.count("memory_per_gpu_bytes", "bytes",
          "Weights, gradients and Adam's state in mixed precision; activations are not counted.",
          [](O o) { return o.scenario.one_job() ? std::optional(memory_per_gpu(o.scenario).bytes) : std::nullopt; })
      .only("no `jobs`");
  t.list("notes", "", note_table(), "What was assumed, and what is likely a mistake.",
         ResultList<Outcome, const Note&>{.size = [](O o) { return o.notes.size(); },
                                          .item = [](O o, std::size_t i) -> const Note& { return o.notes[i]; },
                                          .absent = [](O o) { return !o.scenario.one_job(); }})
      .only("no `jobs`");
  t.number("compute_time_s", "s", "The busiest rank's forward and backward passes and update, per iteration.",
           [](O o) { return o.result.compute_time; });
  t.number("communication_time_s", "s",
           "Per iteration: the time in which at least one message is under way between any two ranks.",
           [](O o) { return o.result.communication_time; });
  t.number("exposed_communication_time_s", "s", "Per iteration: the part of it in which no rank computes.",
           [](O o) { return o.result.exposed_communication_time; });
  t.count("messages", "1",
          "Between different ranks' places, over the whole run; one to one's own place is free and not counted.",
          [](O o) { return o.result.messages; });
  t.count("payload_bytes", "bytes", "Dense bytes of all messages.", [](O o) { return o.result.payload_bytes; });
  t.count("wire_bytes", "bytes",
          "Bytes of all messages after compression; of a compressing NIC with headers and framing.",
          [](O o) { return o.result.wire_bytes; });
  t.count("dropped_gradients", "1", "Backup workers: gradients that came too late for their step.",
          [](O o) { return o.result.dropped_gradients; });
  t.number("other_race_time_s", "s",
           "`time_s` if announcements of large messages that race (platform.protocol.announcements) fell out the other "
           "way: real times lie between, or beyond where single exchanges fall out differently.",
           [](O o) { return o.result.other_race_time; })
      .only("platform.protocol, where it differs from `time_s`")
      .why_none(no_race);
  t.object("data", data_table(), "What real gradients went through.",
           [](O o) { return o.result.data ? &*o.result.data : nullptr; })
      .only("training.compression.tensors")
      .why_none(no_data);
  t.list(
       "jobs", "JOB", job_result_table(),
       "Each of several jobs. The result's own `time_s` is then the end of the last one, messages and bytes are those "
       "of all, and the rest is of the job that ends last.",
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
  t.number("fairness", "1", "Jain's index of the jobs' slowdowns: 1 where all are slowed down alike.",
           [](O o) { return fairness(o.result.jobs); })
      .only("`jobs` and --alone, or a list of jobs")
      .why_none(no_jobs);
  t.number("makespan_s", "s", "When the last job of the list ended: `time_s`.",
           [](O o) { return o.result.queue ? std::optional(o.result.time) : std::nullopt; })
      .only("a list of jobs")
      .why_none(no_queue);
  t.number("utilisation", "1",
           "Of all GPUs, from the first arrival to the last end: the share of seconds in a job's use.",
           [](O o) { return o.result.queue ? std::optional(o.result.queue->utilisation) : std::nullopt; })
      .only("a list of jobs")
      .why_none(no_queue);
  t.object("queue", queue_result_table(), "Who waited for GPUs.",
           [](O o) {
             return o.result.queue ? std::optional(RunQueue{o, *o.result.queue}) : std::nullopt;
           })
      .only("a list of jobs")
      .why_none(no_queue);
  t.object("closed_form", closed_form_table(),
           "The closed form of the same scenario, held against `time_s`; null where there is none.",
           [](O o) {
             return o.form.form ? std::optional<RunForm>({*o.form.form, o}) : std::nullopt;
           })
      .or_null()
      .why_none(no_form);
  t.text("closed_form_missing", "Why there is none.", [](O o) {
     return o.form.form ? std::nullopt : std::optional(o.form.why_none);
   }).only("`closed_form` null");
  t.object("breakdown", breakdown_table(),
           "What the time of the whole run went to; sums to `time_s`, less what restarts lost.",
           [](O o) { return &o.result.path; });
  t.object("iteration_breakdown", breakdown_table(), "The same of the last iteration; sums to `iteration_time_s`.",
           [](O o) { return &o.result.iteration_path; });
  t.list(
      "bottlenecks", "", bottleneck_table(),
      "What `contention_s` and `traffic_s` of the whole run are made of, largest first; links that tie have the same "
      "cost each. Nothing of the engine `simgrid`.",
      ResultList<Outcome, const Bottleneck&>{
          .size = [](O o) { return o.bottlenecks.size(); },
          .item = [](O o, std::size_t i) -> const Bottleneck& { return o.bottlenecks[i]; }});
  t.list("changes", "", change_row_table(), "Those of the scenario's changes that came by the end, the first 10,000.",
         ResultList<Outcome, const ChangeRow&>{
             .size = [](O o) { return o.changes.size(); },
             .item = [](O o, std::size_t i) -> const ChangeRow& { return o.changes[i]; },
             .absent = [](O o) { return o.changes.empty(); }})
      .only("changes during the run");
  t.list("traffic", "", traffic_result_table(), "What became of other users' flows, entry by entry of `traffic`.",
         ResultList<Outcome, const TrafficResult&>{
             .size = [](O o) { return o.result.traffic.size(); },
             .item = [](O o, std::size_t i) -> const TrafficResult& { return o.result.traffic[i]; },
             .absent = [](O o) { return o.result.traffic.empty(); }})
      .only("`traffic`");
  t.number("goodput", "1", "Useful time over `time_s`.",
           [](O o) { return o.result.failures ? std::optional(o.result.failures->first.goodput()) : std::nullopt; })
      .only("failures")
      .why_none(no_failures);
  t.object("lost_time_s", lost_time_table(), "`time_s` less useful time, by cause.",
           [](O o) { return o.result.failures ? &o.result.failures->first : nullptr; })
      .only("failures")
      .why_none(no_failures);
  t.object("failures", failures_result_table(), "What failed, and what that did to the job.", failures_of)
      .only("failures")
      .why_none(no_failures);
  t.count("lost_messages", "1", "How often a message was lost because a link of its way went down.",
          [](O o) { return loses_messages(o.scenario) ? std::optional(o.result.lost_messages) : std::nullopt; })
      .only("recovery resend or reroute")
      .why_none(no_losses);
  t.count("rerouted_messages", "1", "How often a message set out on another way than its own.",
          [](O o) { return loses_messages(o.scenario) ? std::optional(o.result.rerouted_messages) : std::nullopt; })
      .only("recovery resend or reroute")
      .why_none(no_losses);
  t.count("iteration_count", "1", "Iterations of all phases.",
          [](O o) { return static_cast<std::int64_t>(o.result.iterations.size()); });
  t.count("iterations_omitted", "1", "Of those, how many `iterations` leaves out in the middle: what is beyond 10,000.",
          [](O o) { return static_cast<std::int64_t>(omitted(o)); });
  t.list("iterations", "", iteration_table(), "In order.",
         ResultList<Outcome, RunIteration>{
             .size = [](O o) { return o.result.iterations.size(); },
             .item =
                 [](O o, std::size_t i) {
                   return RunIteration{o, i};
                 },
             .left_out_of_json = [](O o) { return std::pair(iterations_kept / 2, iterations_kept / 2 + omitted(o)); }})
      .wrong_item(no_such_iteration);
  t.list("links", "LINK", link_table(),
         "Each direction of each link, in the platform's order; then the engine stages of compressing NICs.",
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
         "Links with names of one kind and one bandwidth, in the platform's order.",
         ResultList<Outcome, const LinkGroup&>{
             .size = [](O o) { return o.link_groups.size(); },
             .item = [](O o, std::size_t i) -> const LinkGroup& { return o.link_groups[i]; },
             .absent = [](O o) { return o.link_groups.empty(); }})
      .only("more than 10,000 links, or --links groups")
      .why_none(no_link_groups);
  return t;
}

} // namespace

const ResultTable<Path>& breakdown_table() {
  static const auto table = [] {
    ResultTable<Path> t("breakdown", "The critical path: what every second of it went to. The parts sum to the whole.",
                        "part");
    for (std::size_t i = 0; i < part_rows().size(); ++i)
      t.number(std::string(part_rows()[i].name) + "_s", "s", part_rows()[i].meaning,
               [i](const Path& path) { return path[i]; });
    return t;
  }();
  return table;
}

const ResultTable<RunLink>& link_table() {
  static const auto table = [] {
    using L = const RunLink&;
    ResultTable<RunLink> t("link", "A direction of a link.");
    t.text("name", "As in `platform.overrides`.", [](L l) { return l.link.name; });
    t.count("bandwidth_bytes_per_s", "bytes/s", "Its bandwidth.", [](L l) { return l.link.bandwidth; });
    t.count("bytes", "bytes", "What it carried.", [](L l) { return l.link.bytes; });
    t.number("busy_s", "s", "How long it had at least one transfer on it.", [](L l) { return l.link.busy; });
    t.number("utilisation", "1",
             "The share of the run in which it carried its full bandwidth: bytes over bandwidth x time.",
             [](L l) { return utilisation(l.link, l.run_time); });
    return t;
  }();
  return table;
}

const ResultTable<FailedRun>& failed_run_table() {
  static const auto table = [] {
    using F = const FailedRun&;
    ResultTable<FailedRun> t("failed_run", "In the list that `run --json` prints of several scenarios: one that has no "
                                           "result.");
    t.text("scenario", "The scenario's name, or the base name of its file.", [](F f) { return f.scenario; });
    t.text("error", "What is wrong with it, or why its simulation failed.", [](F f) { return f.error; });
    return t;
  }();
  return table;
}

const ResultTable<Outcome>& result_table() {
  static const auto table = table_of_results();
  return table;
}

} // namespace gradflight
