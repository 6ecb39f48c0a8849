#include "analysis/explore/sweeps/sweep_page.hpp"

#include "analysis/explore/sweeps/sweep_drawings.hpp"
#include "analysis/explore/sweeps/sweep_lines.hpp"
#include "analysis/run/pages/page.hpp"
#include "base/human.hpp"
#include "base/percentile.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

PageTable error_table(const SweepTable& table, const std::vector<ErrorGroup>& groups, const std::string& first,
                      double tolerance) {
  PageTable result{
      {first, "points", fmt::format("beyond {:g}", tolerance), "median |error|", "greatest error", "there"}, {}};
  for (const auto& group : groups)
    result.rows.push_back({group_text(table, group), fmt::format("{}", group.points), fmt::format("{}", group.beyond),
                           magnitude_text(group.median), human_error(group.most), row_text(table, group.worst_row)});
  return result;
}

} // namespace

std::string short_name(const std::string& path) {
  const auto part_before = [&](std::size_t end) { // returns where the part that ends at `end` begins
    const auto dot = end == 0 ? std::string::npos : path.rfind('.', end - 1);
    return dot == std::string::npos ? 0 : dot + 1;
  };
  auto begin = part_before(path.size());
  while (begin > 0) {
    const auto before = part_before(begin - 1);
    const bool number = std::isdigit(static_cast<unsigned char>(path[begin])) != 0;
    if (!number && std::isdigit(static_cast<unsigned char>(path[before])) == 0) break;
    begin = before;
  }
  const std::string name = path.substr(begin);
  const auto dimension = dimension_of_column(name);
  const auto suffix = dimension ? std::string_view(suffix_of(*dimension)).size() : 0;
  return suffix < name.size() ? name.substr(0, name.size() - suffix) : name;
}

std::string group_text(const SweepTable& table, const ErrorGroup& group) {
  if (group.column.empty()) return group.value;
  const auto column = std::ranges::find(table.columns, group.column, &SweepColumn::name) - table.columns.begin();
  return fmt::format("{} = {}", short_name(group.column),
                     cell_text(table, group.worst_row, static_cast<std::size_t>(column)));
}

std::string magnitude_text(double error) {
  const auto text = human_error(error);
  return text.starts_with('+') ? text.substr(1) : text;
}

std::string verdict_text(const SweepAnalysis& analysis) {
  std::string text = counted(std::ssize(analysis.points), "point") + " simulated";
  for (const auto* verdict : {"agree", "explained", "off", "no form"}) {
    const auto count = std::ranges::count(analysis.points, verdict, &AnalysedPoint::verdict);
    if (count > 0) text += fmt::format(", {} {}", count, verdict);
  }
  if (analysis.not_ok > 0) text += fmt::format("; {} not simulated", analysis.not_ok);
  return text;
}

std::string row_text(const SweepTable& table, std::size_t row) { return row_text(table, row, telling_axes(table)); }

std::string row_text(const SweepTable& table, std::size_t row, const std::vector<std::size_t>& columns) {
  std::string text;
  for (const auto i : columns)
    text +=
        fmt::format("{}{}={}", text.empty() ? "" : ", ", short_name(table.columns[i].name), cell_text(table, row, i));
  return text;
}

std::string formula_text(const SweepTable& table, const SweepAnalysis& formula) {
  std::vector<double> errors;
  const AnalysedPoint* worst = nullptr;
  for (const auto& point : formula.points) {
    if (!point.error) continue;
    errors.push_back(std::abs(*point.error));
    if (worst == nullptr || std::abs(*point.error) > std::abs(*worst->error)) worst = &point;
  }
  auto text = fmt::format("{} against {}: {}", formula.form, formula.simulated, counted(std::ssize(errors), "point"));
  if (worst != nullptr)
    text += fmt::format(", median |error| {}, greatest {} at {}", magnitude_text(percentile(std::move(errors), 0.5)),
                        human_error(*worst->error), row_text(table, worst->row));
  if (const auto without = std::ranges::count(formula.points, false, [](const auto& p) { return p.error.has_value(); });
      without > 0)
    text += fmt::format("; without a value: {}", without);
  return text;
}

std::string extremes_text(const SweepTable& table, const SweepAnalysis& analysis) {
  if (analysis.points.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(analysis.points, {}, &AnalysedPoint::ordered_time);
  return fmt::format("Fastest: {} at {}. Slowest: {} at {}.", human_seconds(least->time_s), row_text(table, least->row),
                     human_seconds(most->time_s), row_text(table, most->row));
}

namespace {

void add_times(Page& page, const SweepTable& table, const SweepAnalysis& analysis, const SweepAxes& axes) {
  const auto over = [&](std::size_t column) { return "over " + short_name(table.columns[column].name); };
  if (!axes.numeric.empty()) {
    const auto column = axes.numeric.front();
    page.heading("Times");
    page.figure("Simulated time " + over(column) + ".", times_drawing(table, analysis, column, axes),
                "times " + over(column));
    const auto& name = table.axis_path(column);
    if (name.ends_with("nodes") || name.ends_with("gpus_per_node") || name.ends_with("count")) {
      page.heading("Efficiency");
      page.figure(
          fmt::format(
              "The time at the smallest {0}, divided by the time at each {0}. 100 % means that the time does not grow.",
              short_name(table.columns[column].name)),
          efficiency_drawing(table, analysis, column, axes), "efficiency " + over(column));
    }
  } else if (!axes.nominal.empty()) {
    page.heading("Times");
    page.figure("Simulated time " + over(axes.nominal.front()) + ".",
                times_drawing(table, analysis, axes.nominal.front(), axes), "times " + over(axes.nominal.front()));
  }
  if (axes.nominal.empty()) return;
  const auto best = best_variants(table, analysis, axes.nominal.front(), axes);
  page.heading(fmt::format("Fastest {}", short_name(table.columns[axes.nominal.front()].name)), "fastest");
  constexpr std::size_t most = 60;
  if (best.rows.size() <= most)
    page.table(best);
  else
    page.folded_table(counted(std::ssize(best.rows), "setting"), best);
}

void add_forms(Page& page, const SweepTable& table, const SweepAnalysis& analysis, const AnalysisView& view,
               const SweepAxes& axes) {
  page.heading("Where the closed form breaks", "forms");
  page.paragraph(verdict_text(analysis) + ".");
  page.figure("Simulated time against the closed form of the same scenario. On the dashed line they agree.",
              form_drawing(analysis, table), "simulated times against closed forms");
  if (!analysis.by_assumption.empty())
    page.table(error_table(table, analysis.by_assumption, "failed assumption", view.tolerance));
  for (const auto& columns : {axes.numeric, axes.nominal})
    for (const auto column : columns)
      page.figure("Error of the closed form over " + short_name(table.columns[column].name) + ".",
                  error_drawing(table, analysis, column), "errors of closed forms");
  if (!analysis.by_axis.empty()) page.table(error_table(table, analysis.by_axis, "axis value", view.tolerance));
}

void add_formula(Page& page, const SweepTable& table, const SweepAnalysis& formula, const AnalysisView& view,
                 const SweepAxes& axes) {
  page.heading(formula.form + " against " + formula.simulated, "formula-" + formula.form);
  page.paragraph(formula_text(table, formula) + ".");
  page.figure(fmt::format("{} against {}. On the dashed line they agree.", formula.simulated, formula.form),
              form_drawing(formula, table), formula.simulated + " against " + formula.form);
  for (const auto& columns : {axes.numeric, axes.nominal})
    for (const auto column : columns)
      page.figure(fmt::format("Error of {} over {}.", formula.form, short_name(table.columns[column].name)),
                  error_drawing(table, formula, column), "errors of " + formula.form);
  if (!formula.by_axis.empty()) page.table(error_table(table, formula.by_axis, "axis value", view.tolerance));
  if (!formula.by_assumption.empty())
    page.table(error_table(table, formula.by_assumption, "assumption of the closed form that fails", view.tolerance));
}

} // namespace

std::string analysis_page(const SweepTable& table, const SweepAnalysis& analysis, const AnalysisView& view,
                          const std::string& command) {
  const auto axes = axes_of(table);
  Page page(view.name);
  page.lead(extremes_text(table, analysis));
  if (!view.incomplete.empty()) page.lead(view.incomplete + ".");
  add_times(page, table, analysis, axes);
  if (view.pareto) {
    page.heading("Pareto front", "pareto");
    std::string fixed;
    for (const auto column : view.pareto->fixed)
      fixed += (fixed.empty() ? " with the same " : " and ") + short_name(table.columns[column].name);
    page.figure(fmt::format("No other point{} has less of both.", fixed), pareto_drawing(table, *view.pareto),
                "the Pareto front");
    page.table(pareto_table(table, *view.pareto));
  }
  if (view.baseline) {
    page.heading("Speedup", "speedup");
    page.figure(fmt::format("Time of the same point with {} = {}, divided by the time of the point.",
                            table.columns[view.baseline->axis].name, view.baseline->value),
                speedup_drawing(table, *view.baseline, axes), "speedup");
  }
  for (const auto& formula : view.formulas) add_formula(page, table, formula, view, axes);
  add_forms(page, table, analysis, view, axes);
  page.command(command);
  return page.html();
}

} // namespace gradflight
