// The data set that the charts of a sweep share, and what its axes are.
#include "analysis/exploration/sweep_charts.hpp"

#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace gradflight {
namespace {

using Json = ChartJson;

/// The values of all axes but one: the points of a line have them in common.
std::string series_of(const SweepTable& table, const std::vector<Cell>& row, std::size_t axis) {
  std::string series;
  for (auto i = table.first_axis(); i < table.first_quantity(); ++i)
    if (i != axis) series += cell_text(row[i]) + " ";
  return series;
}

} // namespace

ChartJson chart_value(const Cell& cell) {
  if (const auto number = cell_number(cell)) return *number;
  return cell_text(cell);
}

std::size_t speedup_axis(const SweepTable& table, const BaselineChoice& choice, const SweepAxes& axes) {
  const bool text = table.columns[choice.axis].type == SweepColumn::Type::text;
  return text && !axes.numeric.empty() ? axes.numeric.front() : choice.axis;
}

SweepAxes axes_of(const SweepTable& table) {
  SweepAxes axes;
  std::vector<std::pair<std::size_t, std::size_t>> numeric; // values, column
  for (auto column = table.first_axis(); column < table.first_quantity(); ++column) {
    std::set<Cell> values;
    for (const auto& row : table.rows) values.insert(row[column]);
    if (values.size() < 2) continue;
    if (table.columns[column].type == SweepColumn::Type::text)
      axes.nominal.push_back(column);
    else
      numeric.emplace_back(values.size(), column);
  }
  std::ranges::stable_sort(numeric, std::greater<>{}, [](const auto& n) { return n.first; });
  for (const auto& [count, column] : numeric) axes.numeric.push_back(column);
  return axes;
}

Json point_rows(const SweepTable& table, const SweepAnalysis& analysis, const AnalysisView& view,
                const SweepAxes& axes) {
  std::vector<double> factor(table.rows.size(), 0);
  if (view.baseline)
    for (const auto& speedup : view.baseline->speedups) factor[speedup.row] = speedup.factor;
  Json rows = Json::array();
  for (const auto& point : analysis.points) {
    Json object;
    const auto& row = table.rows[point.row];
    for (auto i = table.first_axis(); i < row.size(); ++i)
      if (!std::holds_alternative<std::monostate>(row[i])) object[fmt::format("c{}", i)] = chart_value(row[i]);
    object["point"] = row_text(table, point.row);
    if (!axes.numeric.empty()) object["series"] = series_of(table, row, axes.numeric.front());
    object["verdict"] = point.verdict;
    object["assumption"] =
        point.failed.empty() ? (point.verdict == "no form" ? "no form" : "all hold") : joined(point.failed);
    object["time_s"] = point.time_s;
    if (point.form_s) object["form_s"] = *point.form_s;
    if (point.error) object["error"] = *point.error;
    if (factor[point.row] > 0) {
      object["speedup"] = factor[point.row];
      object["speedup_series"] = series_of(table, row, speedup_axis(table, *view.baseline, axes));
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

} // namespace gradflight
