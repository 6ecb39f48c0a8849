#include "analysis/run/pages/plot_specification.hpp"

#include <algorithm>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

constexpr int chart_width = 640, small_width = 280;

std::string color_of(Ink ink) { return std::string("ink:") + inks[static_cast<std::size_t>(ink)].name; }

double shown(double value, PlotUnit unit) { return unit == PlotUnit::rate ? 8 * value : value; }

std::string titled(const PlotAxis& axis) {
  constexpr std::array<const char*, 5> units = {"", " (s)", " (bytes)", " (bit/s)", ""};
  return axis.title + units[static_cast<std::size_t>(axis.unit)];
}

/// Returns the category with the index `value`.
const std::string& category(const PlotAxis& axis, double value) {
  return axis.categories.at(static_cast<std::size_t>(value));
}

Json value_of(const PlotAxis& axis, double value) {
  if (!axis.categories.empty()) return category(axis, value);
  return shown(value, axis.unit);
}

Json encoding_of(const PlotAxis& axis, const char* field) {
  Json encoding = {{"field", field}, {"title", titled(axis)}};
  if (!axis.categories.empty()) {
    encoding["type"] = "nominal";
    encoding["sort"] = axis.categories;
    return encoding;
  }
  encoding["type"] = "quantitative";
  encoding["axis"] = {{"format", axis.unit == PlotUnit::percent ? "~%" : "~s"}, {"labelOverlap", true}};
  Json scale = {{"padding", 12}};
  if (axis.logarithmic) {
    scale["type"] = "log";
    scale["nice"] = false;
  } else {
    scale["zero"] = axis.from_zero;
  }
  if (axis.low && axis.high) {
    scale["domain"] = {shown(*axis.low, axis.unit), shown(*axis.high, axis.unit)};
    scale["clamp"] = true;
  }
  encoding["scale"] = std::move(scale);
  return encoding;
}

/// Returns names and colours of all series, which are the same in every layer.
Json color_scale(const std::vector<PlotSeries>& series) {
  Json names = Json::array(), colors = Json::array();
  for (const auto& one : series)
    if (!one.at.empty() && std::ranges::find(names, Json(one.name)) == names.end()) {
      names.push_back(one.name);
      colors.push_back(color_of(one.ink));
    }
  return {{"domain", std::move(names)}, {"range", std::move(colors)}};
}

Json mark_of(const PlotSeries& series) {
  if (!series.line) return {{"type", "point"}, {"filled", true}, {"size", 45}};
  Json mark = {{"type", "line"}, {"point", series.points}};
  if (series.dashed) mark["strokeDash"] = {5, 4};
  if (series.steps) mark["interpolate"] = "step-after";
  return mark;
}

Json layer_of(const Plot& plot, const PlotSeries& series, const Json& scale) {
  Json values = Json::array();
  for (const auto& point : series.at)
    values.push_back({{"x", value_of(plot.x, point.x)}, {"y", value_of(plot.y, point.y)}, {"of", point.title}});
  Json color = {{"datum", series.name}, {"type", "nominal"}, {"scale", scale}};
  if (scale["domain"].size() < 2) color["legend"] = nullptr;
  Json tooltip = Json::array({{{"field", "of"}, {"title", " "}}});
  for (const auto& [field, axis] : {std::pair("x", &plot.x), std::pair("y", &plot.y)})
    tooltip.push_back({{"field", field}, {"title", titled(*axis)}});
  return {{"data", {{"values", std::move(values)}}},
          {"mark", mark_of(series)},
          {"encoding",
           {{"x", encoding_of(plot.x, "x")},
            {"y", encoding_of(plot.y, "y")},
            {"color", std::move(color)},
            {"tooltip", std::move(tooltip)}}}};
}

/// Adds lines at the levels, and at x = y.
void add_guides(const Plot& plot, Json& layers) {
  const Json mark = {{"type", "rule"}, {"color", color_of(Ink::muted)}, {"strokeDash", {4, 4}}};
  for (const auto& level : plot.levels)
    layers.push_back({{"data", {{"values", Json::array({{{"y", shown(level.y, plot.y.unit)}}})}}},
                      {"mark", mark},
                      {"encoding", {{"y", encoding_of(plot.y, "y")}}}});
  if (!plot.diagonal) return;
  double least = 0, most = 0;
  bool any = false;
  for (const auto& series : plot.series)
    for (const auto& point : series.at) {
      least = any ? std::min(least, point.x) : point.x;
      most = any ? std::max(most, point.x) : point.x;
      any = true;
    }
  Json ends = Json::array();
  for (const double at : {plot.x.low.value_or(least), plot.x.high.value_or(most)})
    ends.push_back({{"x", shown(at, plot.x.unit)}, {"y", shown(at, plot.y.unit)}});
  layers.push_back({{"data", {{"values", std::move(ends)}}},
                    {"mark", {{"type", "line"}, {"color", color_of(Ink::muted)}, {"strokeDash", {4, 4}}}},
                    {"encoding", {{"x", encoding_of(plot.x, "x")}, {"y", encoding_of(plot.y, "y")}}}});
}

Json layers_of(const Plot& plot, int width) {
  const Json scale = color_scale(plot.series);
  Json layers = Json::array();
  add_guides(plot, layers);
  const std::size_t guides = layers.size();
  for (const auto& series : plot.series)
    if (!series.at.empty()) layers.push_back(layer_of(plot, series, scale));
  if (layers.size() == guides) return {};
  // Enable zooming along numeric axes.
  Json along = Json::array();
  if (plot.x.categories.empty()) along.push_back("x");
  along.push_back("y");
  layers.back()["params"] =
      Json::array({{{"name", "zoom"}, {"select", {{"type", "interval"}, {"encodings", along}}}, {"bind", "scales"}}});
  return {{"width", width}, {"height", plot.height}, {"layer", std::move(layers)}};
}

} // namespace

Json plot_specification(const Plot& plot) { return layers_of(plot, chart_width); }

Json plot_specification(const std::vector<TitledPlot>& plots) {
  Json all = Json::array();
  for (std::size_t i = 0; i < plots.size(); ++i) {
    Json one = layers_of(plots[i].plot, small_width);
    if (one.is_null()) continue;
    one["layer"].back()["params"][0]["name"] = "zoom" + std::to_string(i);
    one["title"] = plots[i].title;
    all.push_back(std::move(one));
  }
  if (all.empty()) return {};
  return {{"concat", std::move(all)}, {"columns", 3}};
}

} // namespace gradflight
