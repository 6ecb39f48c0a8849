#include "analysis/run/run_page/run_page.hpp"

#include "analysis/run/pages/page.hpp"
#include "analysis/run/pages/part_bars.hpp"
#include "analysis/run/pages/plot.hpp"
#include "analysis/run/run_page/gantt.hpp"
#include "analysis/run/run_page/run_parts.hpp"
#include "analysis/run/text/describe.hpp"
#include "analysis/run/text/report.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

PartBars::Row bar_of(const std::string& name, const Path& path) {
  double all = 0;
  for (const double part : path) all += part;
  return path_bar(name, path, human_seconds(all));
}

void add_times(Page& page, const Outcome& outcome) {
  const RunResult& r = outcome.result;
  PageTable table{{"", ""}, {}};
  const auto row = [&](const char* name, const std::string& value) { table.rows.push_back({name, value}); };
  row("whole run", human_span(r.time));
  row("iteration", human_seconds(r.iteration_time));
  if (outcome.mean_step) row("mean step over all workers", human_seconds(*outcome.mean_step));
  row("compute of an iteration, busiest rank", human_seconds(r.compute_time));
  row("communication of an iteration", human_seconds(r.communication_time));
  row("part of it with no rank computing", human_seconds(r.exposed_communication_time));
  row("messages", human_count(static_cast<double>(r.messages)));
  row("bytes on the wire", human_bytes(r.wire_bytes));
  if (r.wire_bytes != r.payload_bytes) row("bytes of gradients", human_bytes(r.payload_bytes));
  page.table(table);
}

void add_breakdown(Page& page, const Outcome& outcome) {
  const RunResult& r = outcome.result;
  page.heading("Where the time goes", "breakdown");
  const bool several = r.iterations.size() != 1; // none: they are unknown
  const bool mean = iteration_is_mean(outcome.scenario, r) || iteration_is_of_worker(r);
  const char* which = mean ? "mean iteration" : "last iteration";
  PartBars bars{PlotUnit::seconds, {bar_of(several ? which : "the iteration", r.iteration_path)}};
  page.figure("The critical path, part by part: the work and the messages that the end waited for.",
              bars_markup(bars, "parts of the critical path"));
  PageTable table{{"part", several ? which : "time", "share"}, {}};
  if (several) table.header.insert(table.header.end(), {"whole run", "share"});
  const double before = before_start(r).value_or(0);
  double last = 0, whole = before;
  for (const double part : r.iteration_path) last += part;
  for (const double part : r.path) whole += part;
  const auto share = [](double part, double all) { return all > 0 ? human_percent(part / all) : std::string("-"); };
  for (std::size_t i = 0; i < r.path.size(); ++i) {
    if (!(r.path[i] > 0 || r.iteration_path[i] > 0)) continue;
    table.rows.push_back(
        {part_name(static_cast<Part>(i)), human_seconds(r.iteration_path[i]), share(r.iteration_path[i], last)});
    if (several) table.rows.back().insert(table.rows.back().end(), {human_span(r.path[i]), share(r.path[i], whole)});
  }
  if (before > 0) {
    table.rows.push_back({"before the start", several ? "" : human_span(before), several ? "" : share(before, whole)});
    if (several) table.rows.back().insert(table.rows.back().end(), {human_span(before), share(before, whole)});
  }
  page.table(table);
  if (!outcome.bottlenecks.empty()) page.paragraph("Held up by " + text_of(outcome.bottlenecks) + ".");
  add_times(page, outcome);
}

/// Shows the last iteration if it represents the others: not for several jobs, and not with changes during the run.
void add_timeline(Page& page, const RunPage& run) {
  const RunResult& r = run.outcome.result;
  page.heading("Who does what when", "timeline");
  if (run.timeline == nullptr) {
    page.paragraph(run.no_timeline);
    return;
  }
  const auto& all = r.iterations;
  const bool last_only = r.jobs.empty() && run.outcome.changes.empty() && all.size() > 1;
  const double from = last_only ? all[all.size() - 2].end : 0;
  const GanttView view = gantt_view(*run.timeline, from, r.time);
  const std::size_t ranks = run.timeline->rank_names.size();
  const std::string which =
      view.ranks.size() < ranks
          ? fmt::format("{} of {} ranks: those where the critical path spends most time.", view.ranks.size(), ranks)
          : "All ranks.";
  page.figure((last_only ? "The last iteration. " : "The whole run. ") + which,
              gantt_markup(*run.timeline, view, "what each rank does when, with the critical path"));
}

void add_scenario(Page& page, const RunPage& run) {
  const Scenario& s = run.outcome.scenario;
  page.heading("Scenario", "scenario");
  page.paragraph(s.description);
  PageTable table{{"", ""}, {}};
  const auto row = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({name, value});
  };
  row("platform", platform_line(s.platform));
  const auto add_job = [&](const Scenario& job, const std::string& prefix) {
    row(prefix + "workload", workload_line(job.workload));
    row(prefix + "source of its times", job.workload.source);
    for (const Phase& phase : job.phases)
      row(prefix + (job.phases.size() == 1 ? "exchange" : "exchange of " + phase.name), exchange_line(phase.training));
  };
  if (s.jobs.empty())
    add_job(s, "");
  else
    for (const Outcome& job : run.outcome.jobs) add_job(job.scenario, job.scenario.name + ": ");
  row("engine", engine_name(s.engine.kind));
  page.table(table);
  page.folded_code("The whole report as text", report(run.outcome));
  if (!run.canonical.empty()) page.folded_code("The scenario with every default", run.canonical);
  page.command(run.command);
}

} // namespace

std::string run_page(const RunPage& run) {
  const Outcome& outcome = run.outcome;
  Page page(outcome.scenario.name);
  if (outcome.scenario.one_job())
    page.lead(outcome.verdict);
  else
    page.lead(
        fmt::format("{} in {}.", counted(std::ssize(outcome.result.jobs), "job"), human_seconds(outcome.result.time)));
  for (const Note& note : outcome.notes) page.paragraph(sentence(note));
  add_jobs(page, outcome);
  add_failures(page, outcome);
  add_breakdown(page, outcome);
  add_timeline(page, run);
  add_iterations(page, outcome);
  add_changes(page, outcome);
  add_links(page, outcome.result);
  add_form(page, outcome);
  add_scenario(page, run);
  return page.html();
}

} // namespace gradflight
