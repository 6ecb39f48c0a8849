#include "analysis/boards/boards_plots.hpp"

#include "analysis/boards/boards_text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

namespace {

using Json = ChartJson;

constexpr const char* measured_color = "#1f2328";

/// Ticks at powers of two that people know.
Json size_axis() {
  Json encoding = log_encoding(
      "size", "size of the vector",
      {{"values", {8, 1024, 32768, 1048576, 33554432, 1073741824, 17179869184}},
       {"labelExpr", "datum.value >= 1073741824 ? datum.value / 1073741824 + ' GiB' : datum.value >= 1048576 "
                     "? datum.value / 1048576 + ' MiB' : datum.value >= 1024 ? datum.value / 1024 + ' KiB' "
                     ": datum.value + ' B'"},
       {"labelOverlap", true}});
  return encoding;
}

Json bandwidth_axis(const std::string& field) {
  return log_encoding(field, "bus bandwidth (GB/s)", {{"format", "~g"}, {"labelOverlap", true}, {"tickCount", 5}});
}

Json case_tooltip() {
  Json list = Json::array();
  for (const auto* field : {"pack", "table", "chosen"}) list.push_back({{"field", field}, {"type", "nominal"}});
  for (const auto* field : {"size", "measured_us", "simulated_us"})
    list.push_back({{"field", field}, {"type", "quantitative"}, {"format", ".5~g"}});
  list.push_back({{"field", "error"}, {"type", "quantitative"}, {"format", "+.1%"}});
  return list;
}

/// Nothing where there is no time.
Json bandwidth_of(const BoardTable& table, const BoardCase& one, const std::optional<double>& time_us) {
  if (!time_us) return {};
  return one.size_bytes / *time_us / 1e3 * bus_factor(table.op, table.ranks);
}

} // namespace

Json case_rows(const BoardPack& pack) {
  Json rows = Json::array();
  for (const BoardTable& table : pack.tables)
    for (const BoardCase& one : table.cases) {
      if (!one.simulated || table.kind != CaseKind::collective) continue;
      const auto yardstick = [&](Yardstick which) {
        return bandwidth_of(table, one, one.yardsticks[static_cast<std::size_t>(which)]);
      };
      rows.push_back({{"pack", pack.pack.name.text},
                      {"table", table_name(table) + (table.role == MeasuredRole::fitted ? ", fitted to" : "")},
                      {"order", static_cast<int>(table.op) * 1e7 + table.ranks},
                      {"size", one.size_bytes},
                      {"measured_us", one.measured},
                      {"simulated_us", *one.simulated},
                      {"error", *one.error()},
                      {"ratio", 1 + *one.error()},
                      {"measured", bandwidth_of(table, one, one.measured)},
                      {"lower", bandwidth_of(table, one, one.most)},
                      {"upper", bandwidth_of(table, one, one.least)},
                      {"simulated", bandwidth_of(table, one, one.simulated)},
                      {"own", yardstick(Yardstick::own_formula)},
                      {"ring", yardstick(Yardstick::line_ring)},
                      {"chosen", one.protocol.empty()
                                     ? one.algorithm
                                     : fmt::format("{} {} {} channels", one.algorithm, one.protocol, one.channels)}});
    }
  return rows;
}

Json training_rows(const BoardPack& pack) {
  Json rows = Json::array();
  for (const BoardTable& table : pack.tables) {
    if (table.kind == CaseKind::collective) continue;
    const auto add = [&](int ranks, double measured, double simulated) {
      rows.push_back({{"job", table_name(table)}, {"gpus", ranks}, {"measured", measured}, {"simulated", simulated}});
    };
    add(table.base_ranks, 1, 1);
    for (const BoardCase& one : table.cases) {
      if (!one.simulated) continue;
      const double perfect = static_cast<double>(one.ranks) / table.base_ranks;
      const auto kept = [&](double score) { return table.kind == CaseKind::sharded ? 1 - score : score / perfect; };
      add(one.ranks, kept(one.measured), kept(*one.simulated));
    }
  }
  return rows;
}

Json training_plot(const std::string& data) {
  const Json x = log_encoding("gpus", "GPUs", {{"format", "d"}, {"labelOverlap", true}});
  const auto y = [](const char* field) {
    return Json{{"field", field},
                {"type", "quantitative"},
                {"title", "throughput per GPU, relative"},
                {"scale", {{"zero", false}}}};
  };
  Json tooltip = Json::array();
  for (const auto* field : {"gpus", "measured", "simulated"})
    tooltip.push_back({{"field", field}, {"type", "quantitative"}, {"format", ".4~g"}});
  Json line = {{"mark", {{"type", "line"}, {"strokeWidth", 1.5}, {"color", "#0969da"}}},
               {"encoding", {{"x", x}, {"y", y("simulated")}}}};
  Json points = {{"mark", {{"type", "point"}, {"filled", true}, {"size", 40}, {"color", measured_color}}},
                 {"encoding", {{"x", x}, {"y", y("measured")}, {"tooltip", tooltip}}}};
  return {{"data", {{"name", data}}},
          {"facet", {{"field", "job"}, {"type", "nominal"}, {"title", nullptr}}},
          {"columns", 4},
          {"spec", {{"width", 200}, {"height", 150}, {"layer", Json::array({line, points})}}}};
}

Json ratio_plot(const std::string& data, const std::string& color, int height) {
  Json ratio = log_encoding("ratio", "simulated / measured",
                            {{"values", {0.1, 0.2, 0.5, 0.8, 1, 1.2, 2, 5, 10}}, {"format", "~g"}});
  ratio["scale"] = {{"type", "log"}, {"domain", {0.1, 10}}, {"clamp", true}};
  Json below = ratio;
  below["field"] = "below";
  Json band = {{"data", {{"values", Json::array({{{"below", 0.8}, {"above", 1.2}}})}}},
               {"mark", {{"type", "rect"}, {"color", "#9aa4ad"}, {"opacity", 0.25}}},
               {"encoding", {{"y", below}, {"y2", {{"field", "above"}}}}}};
  Json points = {{"mark", {{"type", "point"}, {"filled", true}, {"size", 18}, {"opacity", 0.6}}},
                 {"encoding",
                  {{"x", size_axis()},
                   {"y", ratio},
                   {"color",
                    {{"field", color},
                     {"type", "nominal"},
                     {"title", color},
                     {"legend", {{"labelLimit", 240}}},
                     {"scale", {{"scheme", "tableau20"}}}}},
                   {"tooltip", case_tooltip()}}}};
  return {{"width", 820}, {"height", height}, {"data", {{"name", data}}}, {"layer", Json::array({band, points})}};
}

Json bandwidth_plots(const std::string& data) {
  const Json names = {"simulated", "own", "ring"};
  Json x = size_axis();
  Json lower = bandwidth_axis("lower");
  Json band = {{"mark", {{"type", "rule"}, {"color", measured_color}, {"opacity", 0.35}, {"size", 3}}},
               {"encoding", {{"x", x}, {"y", lower}, {"y2", {{"field", "upper"}}}}}};
  Json points = {{"mark", {{"type", "point"}, {"filled", true}, {"size", 22}, {"color", measured_color}}},
                 {"encoding", {{"x", x}, {"y", bandwidth_axis("measured")}, {"tooltip", case_tooltip()}}}};
  Json color = {
      {"field", "of"},
      {"type", "nominal"},
      {"title", nullptr},
      {"scale", {{"domain", names}, {"range", {"#0969da", "#bf8700", "#b6bfc7"}}}},
      {"legend",
       {{"orient", "top"},
        {"labelLimit", 300},
        {"labelExpr", fmt::format("datum.value == 'own' ? \"{}\" : datum.value == 'ring' ? \"{}\" : datum.value",
                                  yardstick_name(Yardstick::own_formula), yardstick_name(Yardstick::line_ring))}}}};
  Json lines = {{"transform", Json::array({{{"fold", names}, {"as", {"of", "bandwidth"}}},
                                           {{"filter", "datum.bandwidth != null"}}})},
                {"mark", {{"type", "line"}, {"strokeWidth", 1.5}}},
                {"encoding", {{"x", x}, {"y", bandwidth_axis("bandwidth")}, {"color", color}}}};
  return {{"data", {{"name", data}}},
          {"facet",
           {{"field", "table"},
            {"type", "nominal"},
            {"title", nullptr},
            {"sort", {{"field", "order"}, {"op", "min"}, {"order", "ascending"}}}}},
          {"columns", 4},
          {"spec", {{"width", 200}, {"height", 170}, {"layer", Json::array({lines, band, points})}}},
          {"resolve", {{"scale", {{"y", "independent"}}}}}};
}

} // namespace gradflight
