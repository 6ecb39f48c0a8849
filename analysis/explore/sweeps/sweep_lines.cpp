#include "analysis/explore/sweeps/sweep_lines.hpp"

#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace gradflight {
namespace {

using Type = SweepColumn::Type;

bool ends_with_any(const std::string& name, std::initializer_list<const char*> ends) {
  return std::ranges::any_of(ends, [&](const char* end) { return name.ends_with(end); });
}

} // namespace

std::vector<std::string> categories_of(const SweepTable& table, std::size_t column) {
  std::vector<std::string> names;
  for (const auto& row : table.rows)
    if (const auto name = cell_text(row[column]); std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

PlotUnit unit_of(const std::string& name) {
  if (const auto dimension = dimension_of_column(name))
    return *dimension == Dimension::time        ? PlotUnit::seconds
           : *dimension == Dimension::bytes     ? PlotUnit::bytes
           : *dimension == Dimension::byte_rate ? PlotUnit::rate
                                                : PlotUnit::number;
  if (ends_with_any(name, {"latency", "overhead", "forward", "backward", "update", "step"})) return PlotUnit::seconds;
  if (ends_with_any(name, {"bandwidth"})) return PlotUnit::rate;
  if (ends_with_any(name, {"bytes", "ddp_bucket", "fusion_threshold"})) return PlotUnit::bytes;
  if (ends_with_any(name, {"error"})) return PlotUnit::percent;
  return PlotUnit::number;
}

std::string cell_text(const SweepTable& table, std::size_t row, std::size_t column) {
  const auto number = cell_number(table.rows[row][column]);
  const auto unit = unit_of(table.columns[column].name);
  return number && unit != PlotUnit::number ? plot_value(*number, unit) : cell_text(table.rows[row][column]);
}

PlotAxis drawn_axis(const SweepTable& table, std::size_t column) {
  const auto& name = table.columns[column].name;
  PlotAxis axis{short_name(name), unit_of(name)};
  if (table.columns[column].type == Type::text) {
    axis.categories = categories_of(table, column);
    return axis;
  }
  std::set<double> values;
  for (const auto& row : table.rows)
    if (const auto number = cell_number(row[column])) values.insert(*number);
  if (values.empty()) return axis;
  axis.logarithmic = *values.begin() > 0 && *values.rbegin() / *values.begin() >= 8;
  axis.counts = values.size() <= 12;
  return axis;
}

std::optional<double> drawn_value(const SweepTable& table, std::size_t row, std::size_t column) {
  if (table.columns[column].type != Type::text) return cell_number(table.rows[row][column]);
  const auto names = categories_of(table, column);
  return static_cast<double>(std::ranges::find(names, cell_text(table.rows[row][column])) - names.begin());
}

Layout layout_of(const SweepAxes& axes, std::size_t column) {
  Layout layout;
  for (const auto& columns : {axes.nominal, axes.numeric})
    for (const auto c : columns) {
      if (c == column) continue;
      if (!layout.color)
        layout.color = c;
      else
        layout.facets.push_back(c);
    }
  return layout;
}

std::string setting(const SweepTable& table, std::size_t row, const std::vector<std::size_t>& columns) {
  std::string text;
  for (const auto c : columns)
    text +=
        fmt::format("{}{} = {}", text.empty() ? "" : ", ", short_name(table.columns[c].name), cell_text(table, row, c));
  return text;
}

Plots few(Plots plots) {
  constexpr std::size_t most = 24;
  if (plots.size() > most) plots.resize(most);
  if (plots.size() > 1)
    for (auto& each : plots) each.plot.height = 170;
  return plots;
}

Plots lines_over(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column, const Layout& layout,
                 const PlotAxis& y, const std::function<std::optional<double>(const AnalysedPoint&)>& value) {
  Plots plots;
  std::map<std::string, std::size_t> found;
  std::vector<std::string> colors;
  if (layout.color) colors = categories_of(table, *layout.color);
  for (const auto& point : analysis.points) {
    const auto x = drawn_value(table, point.row, column);
    const auto drawn = value(point);
    if (!x || !drawn) continue;
    const auto [at, fresh] = found.emplace(setting(table, point.row, layout.facets), plots.size());
    if (fresh) {
      TitledPlot one{at->first, {}};
      one.plot.x = drawn_axis(table, column);
      one.plot.y = y;
      for (std::size_t i = 0; i < std::max<std::size_t>(1, colors.size()); ++i)
        one.plot.series.push_back({"", series_ink(static_cast<int>(i)), static_cast<int>(i), true, true});
      plots.push_back(std::move(one));
    }
    std::size_t color = 0;
    if (layout.color) {
      const auto name = cell_text(table.rows[point.row][*layout.color]);
      color = static_cast<std::size_t>(std::ranges::find(colors, name) - colors.begin());
    }
    auto& series = plots[at->second].plot.series[color];
    if (layout.color) series.name = cell_text(table, point.row, *layout.color);
    series.at.push_back({*x, *drawn, fmt::format("{}: {}", row_text(table, point.row), plot_value(*drawn, y.unit))});
  }
  for (auto& each : plots) {
    const bool ordered = each.plot.x.categories.empty();
    for (auto& series : each.plot.series) {
      series.line = ordered;
      std::ranges::stable_sort(series.at, {}, &PlotPoint::x);
    }
  }
  return few(std::move(plots));
}

} // namespace gradflight
