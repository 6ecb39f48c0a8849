#include "analysis/explore/answers/answers_page.hpp"

#include "analysis/run/pages/page.hpp"
#include "analysis/run/pages/part_bars.hpp"
#include "analysis/run/pages/plot.hpp"
#include "base/human.hpp"
#include "base/visible.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

PartBars::Row step_bar(const std::string& name, const TrainedStep& step) {
  return path_bar(name, step.mean_path, human_seconds(step.mean_time));
}

std::string option_of(const WhatIf& what) {
  std::string text;
  for (const std::string& set : what.sets())
    text += fmt::format("{}--set {}", text.empty() ? "" : " ", shell_line({set}));
  return text;
}

void add_tried(Page& page, const Advice& advice, const char* title, const char* id, const char* says,
               const std::vector<WhatIfKind>& kinds, std::initializer_list<Fidelity> fidelities) {
  PageTable table{{"change", "gain", "", advice.of_whole_runs() ? "run" : "step", "then bound by", "to repeat it"}, {}};
  for (const Tried* tried : worth_showing(advice, kinds, fidelities))
    table.rows.push_back({tried->what.change, fmt::format("{:.1f} %", 100 * tried->gain),
                          PageBar{{{tried->gain, Ink::good, "gain"}}}, human_seconds(tried->seconds),
                          bounds_bar(tried->step.bounds), PageCell::options(option_of(tried->what))});
  if (table.rows.empty()) return;
  page.heading(title, id);
  page.paragraph(says);
  page.table(table);
}

/// Whether all points have equally many ranks: then they are drawn over their values.
bool over_values(const Scaling& scaling) {
  return std::ranges::all_of(scaling.points, [&](const auto& p) { return p.ranks == scaling.points.front().ranks; });
}

Plot scale_plot(const Scaling& scaling, const char* title, PlotUnit unit) {
  Plot plot;
  if (over_values(scaling)) {
    plot.x.title = scaling.path;
    for (const ScalePoint& point : scaling.points) plot.x.categories.push_back(point.value);
  } else {
    plot.x = {"ranks", PlotUnit::number, true};
    plot.x.counts = true;
  }
  plot.y = {title, unit};
  plot.y.from_zero = true;
  plot.height = 260;
  return plot;
}

} // namespace

std::string compare_page(const SideBySide& table, const std::string& command) {
  const CompareColumn& best = table.columns[table.best()];
  Page page(fmt::format("{} side by side", counted(std::ssize(table.columns), "step")));
  const char* of = table.with_failures() ? " with the cost of failures" : " on average";
  page.lead(fmt::format("{} has {}; a step takes {}{}. {}", best.name, table.merit(), human_seconds(best.step.cost()),
                        table.with_failures() || table.of_means() ? of : "", best.step.verdict));
  page.heading("Where the time goes", "breakdown");
  PartBars bars;
  for (const CompareColumn& column : table.columns) bars.rows.push_back(step_bar(column.name, column.step));
  page.figure(table.of_means() ? "The critical path of each one's mean step."
                               : "The critical path of each one's last iteration.",
              bars_markup(bars, "parts of the critical paths"));
  page.heading("What bounds each", "bounds");
  PageTable verdicts{{"", "verdict"}, {}};
  for (const CompareColumn& column : table.columns)
    verdicts.rows.push_back({PageCell::unbroken(column.name), column.step.verdict});
  page.table(verdicts);
  page.heading("Numbers", "numbers");
  PageTable numbers{{"quantity"}, {}};
  for (const CompareColumn& column : table.columns) numbers.header.push_back(column.name);
  for (const SideBySide::Row& row : table.rows()) {
    std::vector<PageCell> cells{PageCell::unbroken(row.quantity)};
    for (std::size_t c = 0; c < table.columns.size(); ++c) cells.emplace_back(value_text(row, c));
    numbers.rows.push_back(std::move(cells));
  }
  page.table(numbers);
  if (table.columns.size() > 1) {
    page.heading("Differences", "differences");
    if (const std::string basis = table.basis(); !basis.empty()) page.paragraph(basis);
    page.list(table.differences());
  }
  for (const StepWarning& warning : table.warnings()) page.note(sentence(warning, table.columns.size()));
  page.command(command);
  return page.html();
}

std::string scale_page(const Scaling& scaling, const std::string& scenario, const std::string& command) {
  Page page(fmt::format("{}: how far it scales", scenario));
  page.lead(scaling.conclusion());
  for (const StepWarning& warning : scaling.warnings()) page.note(sentence(warning, scaling.points.size()));
  Plot efficiencies = scale_plot(scaling, "efficiency", PlotUnit::percent);
  Plot rates = scale_plot(scaling, "samples per second", PlotUnit::number),
       times = scale_plot(scaling, "step", PlotUnit::seconds);
  PlotSeries efficiency{"", Ink::series0, 0, true, true}, rate = efficiency, time = efficiency;
  PageTable table{{scaling.path, "ranks", "step", "samples/s", "efficiency", "bound by", "in words"}, {}};
  std::vector<std::vector<Bound>> bounds;
  for (const ScalePoint& p : scaling.points) {
    const double x = over_values(scaling) ? static_cast<double>(bounds.size()) : p.ranks;
    const auto title = [&](const std::string& value) {
      return over_values(scaling) ? fmt::format("{}: {}", p.value, value) : fmt::format("{} ranks: {}", p.ranks, value);
    };
    if (p.efficiency) efficiency.at.push_back({x, *p.efficiency, title(human_percent(*p.efficiency))});
    if (p.samples_per_second)
      rate.at.push_back({x, *p.samples_per_second, title(fmt::format("{:.6g} /s", *p.samples_per_second))});
    time.at.push_back({x, p.iteration_time, title(human_seconds(p.iteration_time))});
    bounds.push_back(p.bounds);
    table.rows.push_back({p.value, fmt::format("{}", p.ranks), human_seconds(p.iteration_time),
                          p.samples_per_second ? fmt::format("{:.6g}", *p.samples_per_second) : "-",
                          scaling.efficiency_text(p), bounds_bar(p.bounds),
                          p.bounds.empty() ? "" : p.bounds.front().noun()});
  }
  efficiencies.levels = {{scaling.threshold, fmt::format("threshold {:g} %", 100 * scaling.threshold)}};
  efficiencies.series = {efficiency};
  rates.series = {rate};
  times.series = {time};
  if (const std::string cost = failures_text(scaling); !cost.empty()) page.paragraph(cost);
  page.heading("Efficiency", "efficiency");
  page.figure("Samples per second, relative to the same number of ranks that only compute.", efficiencies,
              "efficiency over ranks");
  if (efficiency.at.empty()) page.paragraph("The workload has no compute time, so efficiency is undefined.");
  page.heading("Throughput and step", "throughput");
  page.figure("Samples per second of all ranks together.", rates, "samples per second over ranks");
  page.figure("Time of a step.", times, "time of a step over ranks");
  page.heading("Point by point", "points");
  page.legend(bounds_legend(bounds));
  page.table(table);
  page.command(command);
  return page.html();
}

std::string advice_page(const Advice& advice, const std::string& command) {
  Page page(fmt::format("{}: what would help", advice.scenario));
  page.lead(advice.step.verdict);
  if (const std::string basis = basis_text(advice); !basis.empty()) page.lead(basis);
  for (const std::string& warning : advice.step.warnings) page.note(fmt::format("Warning: {}.", warning));
  const auto helps = [](const Tried& t) { return t.gain >= worth_saying; };
  const bool any = std::ranges::any_of(advice.tried, helps);
  const auto add_best = [&](const char* words, const std::vector<WhatIfKind>& kinds) {
    const Tried* best = nullptr;
    for (const Tried& t : advice.tried)
      if (std::ranges::find(kinds, t.what.kind) != kinds.end() && t.what.fidelity != Fidelity::lossy &&
          (best == nullptr || t.gain > best->gain))
        best = &t;
    if (best != nullptr && helps(*best))
      page.lead(fmt::format("{}: {}, {:.1f} % off the {}.", words, best->what.change, 100 * best->gain,
                            advice.of_whole_runs() ? "run" : "step"));
  };
  add_best("Best alone", {WhatIfKind::hardware, WhatIfKind::setting});
  add_best("Best together", {WhatIfKind::together});
  if (advice.tried.empty())
    page.lead("Nothing was tried: the budget left no time for it.");
  else if (!any)
    page.lead("None of the tried changes helps.");
  std::vector<std::vector<Bound>> bounds{advice.step.bounds};
  for (const Tried& tried : advice.tried)
    if (tried.gain >= worth_saying) bounds.push_back(tried.step.bounds);
  page.heading("Now", "now");
  page.figure(advice.step.has_mean() ? "The critical path of the mean step."
                                     : "The critical path of the last iteration.",
              bars_markup({PlotUnit::seconds, {step_bar("as it is", advice.step)}}, "parts of the critical path"));
  if (any) {
    page.paragraph("In the tables below, what then bounds the step has these colours:");
    page.legend(bounds_legend(bounds));
  }
  using enum Fidelity;
  const std::vector<WhatIfKind> alone = {WhatIfKind::hardware, WhatIfKind::setting};
  add_tried(page, advice, "What would help, alone", "alone", "Each change by itself, simulated.", alone, {exact});
  add_tried(page, advice, "With gradients of 16 bits on the wire", "half", "Each by itself.", alone, {half});
  add_tried(page, advice, "Together", "together", "The best changes of different kinds at once.",
            {WhatIfKind::together}, {exact, half});
  add_tried(page, advice, "What each resource costs at most", "limits",
            "Each 10^6 times faster, or at no latency: no upgrade of it can gain more.", {WhatIfKind::unlimited},
            {exact});
  add_tried(page, advice, "With lossy codecs", "lossy", "Training sees other gradients.", alone, {lossy});
  std::vector<std::string> useless;
  for (const Tried& tried : advice.tried)
    if (tried.gain < worth_saying && tried.what.kind != WhatIfKind::together)
      useless.push_back(fmt::format("{} ({})", tried.what.change, gain_text(tried.gain)));
  if (!useless.empty()) {
    page.heading("What would not help", "useless");
    page.paragraph(
        fmt::format("The gain of each; below zero the {} takes longer.", advice.of_whole_runs() ? "run" : "step"));
    page.list(useless);
  }
  if (const std::string others = other_library_text(advice); !others.empty()) page.note(others);
  const auto codec = [](const Tried& t) { return t.gain >= worth_saying && t.what.topic == "compression"; };
  if (std::ranges::any_of(advice.tried, codec))
    page.note("A codec also changes what the model learns. Only its time is simulated, at an assumed ratio.");
  if (advice.left_out > 0)
    page.note(fmt::format("Not tried within the budget: {}.", counted(advice.left_out, "change")));
  if (const std::string failed = failed_text(advice); !failed.empty()) page.note(failed);
  page.command(command);
  return page.html();
}

} // namespace gradflight
