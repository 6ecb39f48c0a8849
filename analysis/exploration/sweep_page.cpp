#include "analysis/exploration/sweep_page.hpp"

#include "analysis/exploration/sweep_charts.hpp"
#include "analysis/human/human.hpp"
#include "analysis/pages/page.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace gradflight {
namespace {

PageTable error_table(const SweepTable& table, const std::vector<ErrorGroup>& groups, const std::string& first,
                      double tolerance) {
  PageTable result{
      {first, "points", fmt::format("beyond {:g}", tolerance), "median |error|", "greatest error", "there"}, {}};
  for (const auto& group : groups)
    result.rows.push_back({group.column.empty() ? group.value : short_name(group.column) + " = " + group.value,
                           fmt::format("{}", group.points), fmt::format("{}", group.beyond),
                           magnitude_text(group.median), human_error(group.most), row_text(table, group.worst_row)});
  return result;
}

} // namespace

std::string short_name(const std::string& path) {
  const auto part_before = [&](std::size_t end) { // where the part that ends at `end` begins
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
  return path.substr(begin);
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

std::string row_text(const SweepTable& table, std::size_t row) {
  std::string text;
  for (auto i = table.first_axis(); i < table.first_quantity(); ++i)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", short_name(table.columns[i].name),
                        cell_text(table.rows[row][i]));
  return text;
}

std::string analysis_page(const SweepTable& table, const SweepAnalysis& analysis, const AnalysisView& view) {
  const auto axes = axes_of(table);
  Page page(view.name);
  page.data("points", point_rows(table, analysis, view, axes));
  page.paragraph(verdict_text(analysis));

  page.heading("Where the closed form breaks");
  page.chart("Simulated time against the closed form of the same scenario. On the dashed line they agree.",
             scatter(analysis));
  if (!analysis.by_assumption.empty())
    page.table(error_table(table, analysis.by_assumption, "failed assumption", view.tolerance));
  for (const auto& columns : {axes.numeric, axes.nominal})
    for (const auto column : columns)
      page.chart("Error of the closed form over " + table.columns[column].name,
                 error_over(table, analysis, column, axes));
  if (!analysis.by_axis.empty()) page.table(error_table(table, analysis.by_axis, "axis value", view.tolerance));

  if (!axes.numeric.empty()) {
    page.heading("Times");
    const auto column = axes.numeric.front();
    page.chart("Simulated (points) and closed form (lines) over " + table.columns[column].name,
               times_over(table, analysis, column, axes));
  }
  if (view.pareto) {
    page.heading("Pareto front");
    page.chart("Red: no other point has less of both.", pareto_chart(table, *view.pareto));
    PageTable front{{table.columns[view.pareto->first].name, table.columns[view.pareto->second].name, "point"}, {}};
    for (const auto row : view.pareto->front)
      front.rows.push_back({cell_text(table.rows[row][view.pareto->first]),
                            cell_text(table.rows[row][view.pareto->second]), row_text(table, row)});
    page.table(front);
  }
  if (view.baseline) {
    page.heading("Speedup");
    page.chart(fmt::format("Time of the same point with {} = {}, over its own.",
                           table.columns[view.baseline->axis].name, view.baseline->value),
               speedup_chart(table, analysis, *view.baseline, axes));
  }
  return page.html();
}

} // namespace gradflight
