#include "analysis/exploration/sweep_charts.hpp"

#include "analysis/human/human.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

using Json = ChartJson;

constexpr int chart_width = 640, chart_height = 320;

Json tooltip(std::initializer_list<std::pair<const char*, const char*>> fields) {
  Json list = Json::array();
  list.push_back({{"field", "point"}, {"type", "nominal"}});
  for (const auto& [field, title] : fields)
    list.push_back({{"field", field}, {"type", "quantitative"}, {"title", title}, {"format", ".4~g"}});
  list.push_back({{"field", "assumption"}, {"type", "nominal"}, {"title", "failed assumption"}});
  return list;
}

Json log_axis(const std::string& field, const std::string& title) {
  return log_encoding(field, title, {{"format", "~s"}, {"labelOverlap", true}});
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
  return {{"width", chart_width},
          {"height", chart_height},
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
  return {{"width", chart_width}, {"height", chart_height}, {"layer", Json::array({line, points})}};
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
      {"width", chart_width},
      {"height", chart_height},
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
    front.push_back({{"x", chart_value(table.rows[row][choice.first])},
                     {"y", chart_value(table.rows[row][choice.second])},
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
  return {{"width", chart_width}, {"height", chart_height}, {"layer", Json::array({all, line})}};
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
