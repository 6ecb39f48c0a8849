// The parts of a run's page for several jobs, a queue, and failures.
#include "analysis/run/pages/plot.hpp"
#include "analysis/run/result/fields/result_tables.hpp"
#include "analysis/run/result/uneven_steps.hpp"
#include "analysis/run/run_page/run_parts.hpp"
#include "analysis/run/text/failures_text.hpp"
#include "base/human.hpp"
#include "models/forms/checkpoint_interval.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr std::size_t rows_shown = 100;

void add_queue(Page& page, const RunResult& result) {
  const QueueResult& queue = *result.queue;
  page.heading("Queue", "queue");
  page.paragraph(
      fmt::format("Jobs use {} of the GPU time from the first arrival to the last end. They wait {} on average.",
                  human_percent(queue.utilisation), human_span(mean_waiting(result.jobs))));
  if (queue.companies > 0)
    page.paragraph(fmt::format("Jobs on common links slow each other down: all together run {} longer than alone.",
                               human_percent(network_slowdown(result.jobs) - 1)));
  const auto drawn = [&](const char* caption, const char* title, Ink ink, int QueueMoment::*member) {
    Plot plot;
    plot.x = {"time", PlotUnit::seconds};
    plot.y = {title, PlotUnit::number};
    plot.y.from_zero = true;
    plot.height = 200;
    PlotSeries series{"", ink, 0, false, true, false, true};
    for (const QueueMoment& m : queue.moments) series.at.push_back({m.at, static_cast<double>(m.*member), {}});
    plot.series = {series};
    page.figure(caption, plot, caption);
  };
  drawn("GPUs in use.", "GPUs", Ink::series0, &QueueMoment::gpus_busy);
  drawn("Jobs that wait.", "jobs", Ink::series1, &QueueMoment::jobs_waiting);
}

void add_lost_time(Page& page, const FailuresResult& f) {
  PartBars bars{PlotUnit::seconds, {{"the first lifetime", {}, human_span(f.first.elapsed)}}};
  auto& pieces = bars.rows.front().pieces;
  pieces.push_back({"useful work", Ink::series2, f.first.useful});
  for (std::size_t i = 0; i < f.first.lost.size(); ++i)
    pieces.push_back({loss_words(static_cast<Loss>(i)), series_ink(std::array{3, 1, 5, 0, 7, 6}[i]), f.first.lost[i]});
  page.figure("Use of the time.", bars_markup(bars, "useful and lost time"));
}

void add_intervals(Page& page, const FailuresResult& f) {
  if (f.tried.size() < 2 || !f.best || !f.write) return;
  Plot plot;
  plot.x = {"time from checkpoint to checkpoint", PlotUnit::seconds, true};
  plot.y = {"goodput", PlotUnit::percent};
  PlotSeries line{"simulated", Ink::series0, 0, true, true};
  const auto goodput_near = [&](double seconds) { // value of the curve, for a mark on it
    const auto at = std::ranges::min_element(f.tried, {}, [&](const CheckpointInterval& t) {
      return std::abs(std::log(static_cast<double>(t.iterations) * f.period / seconds));
    });
    return at->goodput;
  };
  for (const CheckpointInterval& t : f.tried) {
    const double seconds = static_cast<double>(t.iterations) * f.period;
    line.at.push_back({seconds, t.goodput, fmt::format("{}: {}", human_span(seconds), human_percent(t.goodput))});
  }
  plot.series = {line};
  const auto mark = [&](const char* name, Ink ink, int shape, double seconds) {
    plot.series.push_back({name,
                           ink,
                           shape,
                           true,
                           false,
                           false,
                           false,
                           {{seconds, goodput_near(seconds), fmt::format("{}: {}", name, human_span(seconds))}}});
  };
  mark("this job's", Ink::text, 1, static_cast<double>(f.every) * f.period);
  mark("Young's formula", Ink::series1, 2, young_interval(*f.write, f.mtbf));
  mark("Daly's formula", Ink::series3, 3, daly_interval(*f.write, f.mtbf));
  mark("best simulated", Ink::series2, 5, static_cast<double>(f.best->iterations) * f.period);
  page.figure("Goodput over the checkpoint interval.", plot, "goodput over the checkpoint interval");
}

} // namespace

void add_jobs(Page& page, const Outcome& outcome) {
  const RunResult& r = outcome.result;
  if (r.jobs.empty()) return;
  if (r.queue) add_queue(page, r);
  page.heading("Jobs", "jobs");
  const bool alone = std::ranges::any_of(r.jobs, [](const JobRun& j) { return slowdown(j).has_value(); });
  PageTable table{{"job", "start", "time", "mean iteration"}, {}};
  if (r.queue) table.header = {"job", "GPUs", "iterations", "arrival", "waiting", "start", "time", "alone"};
  if (alone) table.header.emplace_back("slowdown");
  if (!r.queue) table.header.emplace_back("held up by");
  for (std::size_t j = 0; j < std::min(rows_shown, r.jobs.size()); ++j) {
    const JobRun& job = r.jobs[j];
    std::vector<PageCell> row{PageCell::unbroken(job.name)};
    if (job.queued)
      row.insert(row.end(), {fmt::format("{}", job.queued->gpus), fmt::format("{}", job.queued->iterations),
                             human_span(job.queued->arrival), human_span(waiting(job).value_or(0))});
    row.insert(row.end(), {human_span(job.start), human_span(job.run.time)});
    row.emplace_back(
        human_span(r.queue ? job.alone_time.value_or(job.run.time)
                           : mean_of_phase(outcome.jobs[j].scenario, job.run).value_or(job.run.iteration_time)));
    if (alone) row.emplace_back(slowdown(job) ? fmt::format("{:.4g}", *slowdown(job)) : "-");
    if (!r.queue) row.emplace_back(outcome.jobs[j].bottlenecks.empty() ? "" : text_of(outcome.jobs[j].bottlenecks));
    table.rows.push_back(std::move(row));
  }
  page.table(table);
  if (r.jobs.size() > rows_shown)
    page.paragraph(fmt::format("And {} more; the result (--json) lists them.", r.jobs.size() - rows_shown));
  if (const auto index = fairness(r.jobs))
    page.paragraph(fmt::format("Fairness: {:.4g} (Jain's index of the slowdowns).", *index));
}

void add_failures(Page& page, const Outcome& outcome) {
  const auto run = failures_of(outcome);
  if (!run) return;
  const FailuresResult& f = run->failures;
  page.heading("Failures", "failures");
  page.paragraph(
      fmt::format("The job computed or wrote checkpoints in {} of the time.", human_percent(f.first.availability())));
  add_lost_time(page, f);
  add_intervals(page, f);
  ReportText text({false, 100});
  put_failures(text, outcome);
  std::string lines = std::move(text).take();
  lines.erase(0, lines.find_first_not_of('\n'));
  page.code(lines);
  if (f.outages.empty()) return;
  PageTable outages{{"from", "until", "what"}, {}};
  for (std::size_t i = 0; i < std::min(rows_shown, f.outages.size()); ++i)
    outages.rows.push_back({human_span(f.outages[i].at),
                            std::isinf(f.outages[i].until) ? "-" : human_span(f.outages[i].until), f.outages[i].name});
  page.folded_table(fmt::format("Failures ({})", f.outages.size() > rows_shown
                                                     ? fmt::format("the first {}", rows_shown)
                                                     : counted(std::ssize(f.outages), "outage")),
                    outages);
}

} // namespace gradflight
