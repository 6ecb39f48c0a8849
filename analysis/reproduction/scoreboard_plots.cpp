#include "analysis/reproduction/scoreboard_plots.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gradflight {
namespace {

using Json = ChartJson;

constexpr int side = 400; ///< of the square plots, in pixels
constexpr double band = 0.1;
constexpr std::array<std::pair<const char*, const char*>, 6> role_colors = {{{"predicted", "#0969da"},
                                                                             {"fitted", "#d1495b"},
                                                                             {"failed", "#bf8700"},
                                                                             {"dependent", "#54aeff"},
                                                                             {"excluded", "#b6bfc7"},
                                                                             {"input", "#8250df"}}};

/// Both sides of a figure can be drawn on a logarithmic axis.
bool drawable(const FigureScore& score) {
  const auto* reported = score.figure->published.number();
  return reported != nullptr && *reported > 0 && score.simulated && *score.simulated > 0;
}

bool sets_axes(const Json& row) { return row["role"] == "predicted" || row["role"] == "fitted"; }

struct Extent {
  double least = 0, most = 0;
};

/// Of the keys' values over the rows that set axes, or over all where none does; null is left out.
Extent extent_of(const Json& rows, std::initializer_list<const char*> keys) {
  const bool any = std::ranges::any_of(rows, sets_axes);
  std::vector<double> values;
  for (const auto& row : rows)
    for (const auto* key : keys)
      if ((!any || sets_axes(row)) && !row[key].is_null()) values.push_back(row[key].get<double>());
  const auto [least, most] = std::ranges::minmax(values);
  return {least, most};
}

Json held_to(Json encoding, const Extent& extent) {
  encoding["scale"]["domain"] = {extent.least, extent.most};
  encoding["scale"]["nice"] = false;
  encoding["scale"]["clamp"] = true;
  return encoding;
}

Json figure_axis(const std::string& field, const std::string& title, const Extent& extent) {
  return held_to(log_encoding(field, title, {{"format", "~g"}, {"labelOverlap", true}, {"tickCount", 8}}), extent);
}

Json error_axis(const std::string& field, const Extent& extent) {
  return held_to(
      {{"field", field}, {"type", "quantitative"}, {"title", "relative error"}, {"axis", {{"format", "+.0%"}}}},
      extent);
}

/// The line where both sides are equal, and what is within the band.
Json diagonal_rows(const Extent& extent) {
  Json ends = Json::array();
  for (const double at : {extent.least, extent.most})
    ends.push_back({{"at", at},
                    {"low", at * (1 - band)},
                    {"high", at * (1 + band)},
                    {"below", -band},
                    {"above", band},
                    {"zero", 0}});
  return ends;
}

Json tooltip() {
  Json list = Json::array();
  for (const auto* field : {"id", "quantity", "unit", "role"}) list.push_back({{"field", field}, {"type", "nominal"}});
  for (const auto* field : {"reported", "simulated"})
    list.push_back({{"field", field}, {"type", "quantitative"}, {"format", ".5~g"}});
  list.push_back({{"field", "error"}, {"type", "quantitative"}, {"format", "+.1%"}});
  list.push_back({{"field", "form"}, {"type", "quantitative"}, {"format", "+.1%"}, {"title", "closed form's error"}});
  return list;
}

Json role_color(const Json& rows) {
  Json domain = Json::array(), range = Json::array();
  for (const auto& entry : role_colors) {
    if (std::ranges::none_of(rows, [&](const Json& row) { return row["role"] == entry.first; })) continue;
    domain.push_back(entry.first);
    range.push_back(entry.second);
  }
  return {{"field", "role"}, {"type", "nominal"}, {"title", "role"}, {"scale", {{"domain", domain}, {"range", range}}}};
}

/// A point for each figure over a band with a line in its middle; `ends` span both.
Json figure_plot(const Json& rows, const std::string& data, const Json& ends, const Json& x, const Json& y,
                 const Json& lower, const Json& upper, const Json& middle) {
  auto along = x;
  along["field"] = "at";
  Json area = {{"data", {{"values", ends}}},
               {"mark", {{"type", "area"}, {"color", "#9aa4ad"}, {"opacity", 0.25}}},
               {"encoding", {{"x", along}, {"y", upper}, {"y2", lower}}}};
  Json line = {{"data", {{"values", ends}}},
               {"mark", {{"type", "line"}, {"color", "#6e7781"}, {"strokeDash", {4, 4}}}},
               {"encoding", {{"x", along}, {"y", middle}}}};
  Json points = {{"data", {{"name", data}}},
                 {"mark", {{"type", "point"}, {"filled", true}, {"size", 55}, {"opacity", 0.8}}},
                 {"encoding",
                  {{"x", x},
                   {"y", y},
                   {"color", role_color(rows)},
                   {"shape", {{"field", "unit"}, {"type", "nominal"}, {"title", "unit"}}},
                   {"tooltip", tooltip()}}}};
  return {{"width", side}, {"height", side}, {"layer", Json::array({area, line, points})}};
}

/// From a predicted figure's error to that of its closed form, where they differ.
Json form_layer(const std::string& data, const Json& x, const Extent& errors) {
  return {{"data", {{"name", data}}},
          {"transform", Json::array({{{"filter", "datum.form_differs"}}})},
          {"mark", {{"type", "rule"}, {"color", "#6e7781"}, {"opacity", 0.5}}},
          {"encoding", {{"x", x}, {"y", error_axis("form", errors)}, {"y2", {{"field", "error"}}}}}};
}

} // namespace

Json plot_rows(const PaperScore& paper) {
  constexpr double differs = 0.01;
  Json rows = Json::array();
  for (const auto& score : paper.figures) {
    if (!drawable(score)) continue;
    const auto& published = score.figure->published;
    const auto form = score.form_error();
    rows.push_back({{"id", published.id},
                    {"quantity", published.quantity},
                    {"reported", *published.number()},
                    {"simulated", *score.simulated},
                    {"error", *score.relative_error},
                    {"form", form ? Json(*form) : Json()},
                    {"form_differs", score.role() == FigureRole::predicted && form &&
                                         std::abs(*score.closed_form / *score.simulated - 1) > differs},
                    {"role", role_name(score.role())},
                    {"unit", published.unit}});
  }
  return rows;
}

Json scoreboard_plots(const Json& rows, const std::string& data) {
  constexpr double room = 1.1;
  auto figures = extent_of(rows, {"reported", "simulated"});
  figures = {figures.least / room, figures.most * room};
  auto errors = extent_of(rows, {"error"});
  errors = {std::min(errors.least, -band) * room, std::max(errors.most, band) * room};
  const auto ends = diagonal_rows(figures);
  const auto x = figure_axis("reported", "reported", figures);
  const auto values =
      figure_plot(rows, data, ends, x, figure_axis("simulated", "simulated", figures), {{"field", "low"}},
                  figure_axis("high", "simulated", figures), figure_axis("at", "simulated", figures));
  auto alone = figure_plot(rows, data, ends, x, error_axis("error", errors), {{"field", "below"}},
                           error_axis("above", errors), error_axis("zero", errors));
  alone["layer"].push_back(form_layer(data, x, errors));
  return {{"hconcat", Json::array({values, alone})}};
}

} // namespace gradflight
