#include "analysis/exploration/sweep_charts.hpp"

#include "analysis/text/human.hpp"
#include "scenarios/language/tables/shape.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace gradflight {
namespace {

using Json = ChartJson;

constexpr int width = 640, height = 320;

Json json_of(const Cell& cell) {
  if (const auto number = cell_number(cell)) return *number;
  return cell_text(cell);
}

/// What the speedup is drawn over: the baseline's axis, or the main one where that has no scale.
std::size_t speedup_axis(const SweepTable& table, const BaselineChoice& choice, const SweepAxes& axes) {
  const bool text = table.columns[choice.axis].type == SweepColumn::Type::text;
  return text && !axes.numeric.empty() ? axes.numeric.front() : choice.axis;
}

/// The values of all axes but one: the points of a line have them in common.
std::string series_of(const SweepTable& table, const std::vector<Cell>& row, std::size_t axis) {
  std::string series;
  for (auto i = table.first_axis(); i < table.first_quantity(); ++i)
    if (i != axis) series += cell_text(row[i]) + " ";
  return series;
}

Json tooltip(std::initializer_list<std::pair<const char*, const char*>> fields) {
  Json list = Json::array();
  list.push_back({{"field", "point"}, {"type", "nominal"}});
  for (const auto& [field, title] : fields)
    list.push_back({{"field", field}, {"type", "quantitative"}, {"title", title}, {"format", ".4~g"}});
  list.push_back({{"field", "assumption"}, {"type", "nominal"}, {"title", "failed assumption"}});
  return list;
}

Json log_axis(const std::string& field, const std::string& title) {
  return {{"field", field},
          {"type", "quantitative"},
          {"title", title},
          {"scale", {{"type", "log"}, {"nice", false}, {"padding", 12}}},
          {"axis", {{"format", "~s"}, {"labelOverlap", true}}}};
}

Json axis_encoding(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column) {
  bool positive = true;
  double least = 0, most = 0;
  for (const auto& point : analysis.points) {
    const auto value = cell_number(table.rows[point.row][column]);
    positive = positive && value && *value > 0;
    if (!positive) break;
    least = least == 0 ? *value : std::min(least, *value);
    most = std::max(most, *value);
  }
  const auto field = fmt::format("c{}", column);
  const auto title = short_name(table.columns[column].name);
  if (positive && most / least >= 8) return log_axis(field, title);
  return {{"field", field}, {"type", "quantitative"}, {"title", title}, {"scale", {{"zero", false}, {"padding", 12}}}};
}

Json chart(Json mark, Json encoding) {
  return {{"width", width},
          {"height", height},
          {"data", {{"name", "points"}}},
          {"mark", std::move(mark)},
          {"encoding", std::move(encoding)}};
}

Json legend(const std::string& field, const std::string& title) {
  return {{"field", field},
          {"type", "nominal"},
          {"title", title},
          {"legend", {{"orient", "bottom"}, {"columns", 1}, {"labelLimit", 600}}}};
}

} // namespace

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
      if (!std::holds_alternative<std::monostate>(row[i])) object[fmt::format("c{}", i)] = json_of(row[i]);
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

Json scatter(const SweepAnalysis& analysis) {
  double least = 0, most = 0;
  for (const auto& point : analysis.points) {
    if (!point.form_s || point.time_s <= 0) continue;
    least = least == 0 ? point.time_s : std::min(least, point.time_s);
    most = std::max(most, point.time_s);
  }
  Json line = {{"data", {{"values", {{{"t", least}}, {{"t", most}}}}}},
               {"mark", {{"type", "line"}, {"color", "#9aa4ad"}, {"strokeDash", {4, 4}}}},
               {"encoding", {{"x", log_axis("t", "closed form (s)")}, {"y", log_axis("t", "simulated (s)")}}}};
  Json points = {
      {"data", {{"name", "points"}}},
      {"transform", Json::array({Json{{"filter", "isValid(datum.form_s) && datum.form_s > 0"}}})},
      {"mark", {{"type", "point"}, {"filled", true}, {"size", 45}, {"opacity", 0.75}}},
      {"encoding",
       {{"x", log_axis("form_s", "closed form (s)")},
        {"y", log_axis("time_s", "simulated (s)")},
        {"color", legend("assumption", "assumption that fails")},
        {"tooltip",
         tooltip({{"time_s", "simulated (s)"}, {"form_s", "closed form (s)"}, {"error", "relative error"}})}}}};
  return {{"width", width}, {"height", height}, {"layer", Json::array({line, points})}};
}

Json error_over(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column, const SweepAxes& axes) {
  Json x = table.columns[column].type == SweepColumn::Type::text
               ? Json{{"field", fmt::format("c{}", column)},
                      {"type", "nominal"},
                      {"title", short_name(table.columns[column].name)},
                      {"axis", {{"labelAngle", 0}}}}
               : axis_encoding(table, analysis, column);
  Json encoding = {{"x", std::move(x)},
                   {"y",
                    {{"field", "error"},
                     {"type", "quantitative"},
                     {"title", "(simulated - form) / form"},
                     {"axis", {{"format", "~%"}}}}},
                   {"tooltip", tooltip({{"error", "relative error"}, {"time_s", "simulated (s)"}})}};
  encoding["color"] = legend("assumption", "assumption that fails");
  const auto shape = std::ranges::find_if(axes.nominal, [&](std::size_t c) { return c != column; });
  if (shape != axes.nominal.end())
    encoding["shape"] = {{"field", fmt::format("c{}", *shape)},
                         {"type", "nominal"},
                         {"title", short_name(table.columns[*shape].name)},
                         {"legend", {{"orient", "right"}}}};
  return chart({{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 0.8}}, std::move(encoding));
}

Json times_over(const SweepTable& table, const SweepAnalysis& analysis, std::size_t column, const SweepAxes& axes) {
  auto x = axis_encoding(table, analysis, column);
  Json shared = {{"x", x}, {"detail", {{"field", "series"}}}};
  if (!axes.nominal.empty())
    shared["color"] =
        legend(fmt::format("c{}", axes.nominal.front()), short_name(table.columns[axes.nominal.front()].name));
  auto form = shared, simulated = shared;
  form["y"] = log_axis("form_s", "time (s)");
  simulated["y"] = log_axis("time_s", "time (s)");
  simulated["tooltip"] =
      tooltip({{"time_s", "simulated (s)"}, {"form_s", "closed form (s)"}, {"error", "relative error"}});
  return {
      {"width", width},
      {"height", height},
      {"data", {{"name", "points"}}},
      {"layer",
       Json::array({Json{{"transform", Json::array({Json{{"filter", "isValid(datum.form_s) && datum.form_s > 0"}}})},
                         {"mark", {{"type", "line"}, {"opacity", 0.6}}},
                         {"encoding", form}},
                    Json{{"mark", {{"type", "point"}, {"filled", true}, {"size", 35}}}, {"encoding", simulated}}})}};
}

Json pareto_chart(const SweepTable& table, const ParetoChoice& choice) {
  Json front = Json::array();
  for (const auto row : choice.front)
    front.push_back({{"x", json_of(table.rows[row][choice.first])},
                     {"y", json_of(table.rows[row][choice.second])},
                     {"point", row_text(table, row)}});
  const auto x = log_axis(fmt::format("c{}", choice.first), table.columns[choice.first].name);
  const auto y = log_axis(fmt::format("c{}", choice.second), table.columns[choice.second].name);
  Json all = {
      {"data", {{"name", "points"}}},
      {"transform",
       Json::array({Json{{"filter", fmt::format("datum.c{} > 0 && datum.c{} > 0", choice.first, choice.second)}}})},
      {"mark", {{"type", "point"}, {"filled", true}, {"color", "#b6bfc7"}, {"size", 35}}},
      {"encoding", {{"x", x}, {"y", y}, {"tooltip", {{{"field", "point"}, {"type", "nominal"}}}}}}};
  Json line = {{"data", {{"values", front}}},
               {"transform", Json::array({Json{{"filter", "datum.x > 0 && datum.y > 0"}}})},
               {"mark",
                {{"type", "line"},
                 {"interpolate", "step-after"},
                 {"color", "#d1495b"},
                 {"point", {{"color", "#d1495b"}, {"size", 70}}}}},
               {"encoding",
                {{"x", log_axis("x", table.columns[choice.first].name)},
                 {"y", log_axis("y", table.columns[choice.second].name)},
                 {"tooltip", {{{"field", "point"}, {"type", "nominal"}}}}}}};
  return {{"width", width}, {"height", height}, {"layer", Json::array({all, line})}};
}

Json speedup_chart(const SweepTable& table, const SweepAnalysis& analysis, const BaselineChoice& choice,
                   const SweepAxes& axes) {
  const bool text = table.columns[choice.axis].type == SweepColumn::Type::text;
  const auto over = speedup_axis(table, choice, axes);
  Json x = table.columns[over].type == SweepColumn::Type::text ? Json{{"field", fmt::format("c{}", over)},
                                                                      {"type", "nominal"},
                                                                      {"title", short_name(table.columns[over].name)}}
                                                               : axis_encoding(table, analysis, over);
  Json encoding = {{"x", std::move(x)},
                   {"y",
                    {{"field", "speedup"},
                     {"type", "quantitative"},
                     {"title", fmt::format("speedup over {}", choice.value)},
                     {"scale", {{"type", "log"}}},
                     {"axis", {{"format", "~g"}}}}},
                   {"tooltip",
                    {{{"field", "point"}, {"type", "nominal"}},
                     {{"field", "speedup"}, {"type", "quantitative"}, {"format", ".4~g"}}}}};
  const auto colour = text ? choice.axis : axes.nominal.empty() ? choice.axis : axes.nominal.front();
  encoding["color"] = legend(fmt::format("c{}", colour), short_name(table.columns[colour].name));
  encoding["detail"] = {{"field", "speedup_series"}};
  auto spec = chart({{"type", "line"}, {"point", true}, {"opacity", 0.8}}, std::move(encoding));
  spec["transform"] = Json::array({Json{{"filter", "isValid(datum.speedup)"}}});
  return spec;
}

} // namespace gradflight
