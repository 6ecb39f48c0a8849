#include "analysis/explore/sweeps/sweep_drawings.hpp"

#include "analysis/explore/sweeps/sweep_lines.hpp"
#include "analysis/run/result/comparison.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace gradflight {
namespace {

/// Three digits; of a factor just above 1, two digits of what it is above: "2.24", "1.0013". 1e-9 above is a tie: "1".
std::string factor_text(double factor) {
  const double above = factor - 1;
  if (above < form_tolerance || above >= 0.01) return fmt::format("{:.3g}", factor);
  return fmt::format("{:.{}f}", factor, 1 - static_cast<int>(std::floor(std::log10(above))));
}

} // namespace

Plots times_drawing(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column, const SweepAxes& axes) {
  const PlotAxis y{"time", PlotUnit::seconds, true};
  return lines_over(table, analysis, column, layout_of(axes, column), y,
                    [](const AnalysedPoint& p) { return p.time_s > 0 ? std::optional(p.time_s) : std::nullopt; });
}

Plots efficiency_drawing(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column,
                         const SweepAxes& axes) {
  const Layout layout = layout_of(axes, column);
  std::vector<std::size_t> others = layout.facets;
  if (layout.color) others.push_back(*layout.color);
  std::map<std::string, std::pair<double, double>> least; // for each line: the least value and its time
  for (const auto& point : analysis.points) {
    const auto x = drawn_value(table, point.row, column);
    if (!x || !(point.time_s > 0)) continue;
    const auto [at, fresh] = least.emplace(setting(table, point.row, others), std::pair(*x, point.time_s));
    if (!fresh && *x < at->second.first) at->second = {*x, point.time_s};
  }
  PlotAxis y{"efficiency", PlotUnit::percent};
  y.from_zero = true;
  y.least_span = 1;
  return lines_over(table, analysis, column, layout, y, [&](const AnalysedPoint& p) -> std::optional<double> {
    if (!(p.time_s > 0)) return std::nullopt;
    return least.at(setting(table, p.row, others)).second / p.time_s;
  });
}

PageTable best_variants(const SweepTable& table, const SweepAnalysis& analysis, std::size_t variant,
                        const SweepAxes& axes) {
  std::vector<std::size_t> others;
  for (const auto& columns : {axes.numeric, axes.nominal})
    for (const auto c : columns)
      if (c != variant) others.push_back(c);
  PageTable best{{}, {}};
  for (const auto c : others) best.header.push_back(short_name(table.columns[c].name));
  const bool several = categories_of(table, variant).size() > 2;
  for (const char* name : {"fastest", "time", "next", "next / fastest"}) best.header.emplace_back(name);
  if (several)
    for (const char* name : {"slowest", "slowest / fastest"}) best.header.emplace_back(name);
  std::vector<std::vector<const AnalysedPoint*>> groups;
  std::map<std::string, std::size_t> found;
  for (const auto& point : analysis.points) {
    const auto [at, fresh] = found.emplace(setting(table, point.row, others), groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].push_back(&point);
  }
  for (auto& group : groups) {
    std::ranges::stable_sort(group, {}, &AnalysedPoint::ordered_time);
    std::vector<PageCell> row;
    const auto name = [&](const AnalysedPoint* p) { return cell_text(table, p->row, variant); };
    const auto factor = [&](const AnalysedPoint* p) {
      return group.front()->time_s > 0 ? factor_text(p->time_s / group.front()->time_s) : std::string("-");
    };
    for (const auto c : others) row.emplace_back(cell_text(table, group.front()->row, c));
    row.emplace_back(name(group.front()));
    row.push_back(PageCell::unbroken(human_seconds(group.front()->time_s)));
    for (const auto* other : {group.size() > 1 ? group[1] : nullptr, group.size() > 1 ? group.back() : nullptr}) {
      if (row.size() == best.header.size()) break;
      row.emplace_back(other == nullptr ? "-" : name(other));
      row.emplace_back(other == nullptr ? "-" : factor(other));
    }
    best.rows.push_back(std::move(row));
  }
  return best;
}

Plots form_drawing(const SweepAnalysis& analysis, const SweepTable& table) {
  Plot plot;
  plot.x = {analysis.form, PlotUnit::seconds, true};
  plot.y = {analysis.simulated, PlotUnit::seconds, true};
  plot.diagonal = true;
  plot.series = {{"every assumption holds", Ink::series7, 0},
                 {"an assumption fails", Ink::text, 3},
                 {"off, although all assumptions hold", Ink::bad, 4}};
  for (const auto& point : analysis.points) {
    if (!point.form_s || !(*point.form_s > 0) || !(point.time_s > 0)) continue;
    const std::size_t kind = point.verdict == "off" ? 2 : point.failed.empty() ? 0 : 1;
    plot.series[kind].at.push_back(
        {*point.form_s, point.time_s,
         fmt::format("{}: {} simulated, {} by the form{}{}", row_text(table, point.row), human_seconds(point.time_s),
                     human_seconds(*point.form_s), point.failed.empty() ? "" : "; fails: ", joined(point.failed))});
  }
  return {{"", std::move(plot)}};
}

Plots error_drawing(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column) {
  Plot plot;
  plot.x = drawn_axis(table, column);
  plot.y = {analysis.form == "closed form" ? "(simulated - form) / form" : "(simulated - own) / own",
            PlotUnit::percent};
  plot.y.least_span = 0.02;
  plot.levels = {{0, ""}};
  plot.series = {{"every assumption holds", Ink::series7, 0},
                 {"an assumption fails", Ink::text, 3},
                 {"off, although all assumptions hold", Ink::bad, 4}};
  for (const auto& point : analysis.points) {
    const auto x = drawn_value(table, point.row, column);
    if (!point.error || !x) continue;
    const std::size_t kind = point.verdict == "off" ? 2 : point.failed.empty() ? 0 : 1;
    plot.series[kind].at.push_back({*x, *point.error,
                                    fmt::format("{}: {}{}{}", row_text(table, point.row), human_error(*point.error),
                                                point.failed.empty() ? "" : "; fails: ", joined(point.failed))});
  }
  return {{"", std::move(plot)}};
}

namespace {

/// The front among the rows with its fixed values.
Plot front_plot(const SweepTable& table, const ParetoChoice& choice, const ParetoFront& front) {
  Plot plot;
  plot.x = {table.columns[choice.first].name, unit_of(table.columns[choice.first].name), true};
  plot.y = {table.columns[choice.second].name, unit_of(table.columns[choice.second].name), true};
  plot.series = {{"all points", Ink::series7, 0}, {"the front", Ink::series0, 3, true, true, false, true}};
  const auto add = [&](std::size_t series, std::size_t row) {
    const auto x = cell_number(table.rows[row][choice.first]), y = cell_number(table.rows[row][choice.second]);
    if (x && y && *x > 0 && *y > 0) plot.series[series].at.push_back({*x, *y, row_text(table, row)});
  };
  const auto like_it = [&](std::size_t row) {
    return std::ranges::all_of(choice.fixed,
                               [&](std::size_t c) { return table.rows[row][c] == table.rows[front.example][c]; });
  };
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    if (like_it(row)) add(0, row);
  for (const auto row : front.rows) add(1, row);
  std::ranges::stable_sort(plot.series[1].at, {}, &PlotPoint::x);
  return plot;
}

} // namespace

Plots pareto_drawing(const SweepTable& table, const ParetoChoice& choice) {
  Plots plots;
  for (const auto& front : choice.fronts)
    plots.push_back({setting(table, front.example, choice.fixed), front_plot(table, choice, front)});
  return few(std::move(plots));
}

PageTable pareto_table(const SweepTable& table, const ParetoChoice& choice) {
  PageTable points{{table.columns[choice.first].name, table.columns[choice.second].name, "point"}, {}};
  for (const auto& front : choice.fronts)
    for (const auto row : front.rows)
      points.rows.push_back(
          {cell_text(table, row, choice.first), cell_text(table, row, choice.second), row_text(table, row)});
  return points;
}

Plots speedup_drawing(const SweepTable& table, const BaselineChoice& choice, const SweepAxes& axes) {
  const auto over = speedup_axis(table, choice, axes);
  SweepAxes ordered = axes; // lines of one colour share a value of the compared axis
  const auto own = std::ranges::find(ordered.nominal, choice.axis);
  if (own != ordered.nominal.end()) std::rotate(ordered.nominal.begin(), own, own + 1);
  std::map<std::size_t, double> factors;
  for (const auto& speedup : choice.speedups) factors[speedup.row] = speedup.factor;
  SweepAnalysis compared;
  for (const auto& [row, factor] : factors) {
    AnalysedPoint point;
    point.row = row;
    point.time_s = factor;
    compared.points.push_back(std::move(point));
  }
  PlotAxis y{fmt::format("times as fast as {} = {}", short_name(table.columns[choice.axis].name), choice.value)};
  y.from_zero = true;
  return lines_over(table, compared, over, layout_of(ordered, over), y,
                    [](const AnalysedPoint& p) { return std::optional(p.time_s); });
}

} // namespace gradflight
