#include "analysis/evidence/reproduction/scoreboard_plots.hpp"

#include "analysis/run/pages/plot.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

constexpr double band = 0.1;

/// Whether both values of a figure can be drawn on a logarithmic axis.
bool drawable(const FigureScore& score) {
  const auto* reported = score.figure->published.number();
  return reported != nullptr && *reported > 0 && score.simulated && *score.simulated > 0;
}

bool sets_axes(const Json& row) { return row["role"] == "predicted" || row["role"] == "fitted"; }

struct Extent {
  double least = 0, most = 0;
};

/// Returns the extent of the keys' values over the rows that set axes, or over all rows if none does; ignores null.
Extent extent_of(const Json& rows, std::initializer_list<const char*> keys) {
  const bool any = std::ranges::any_of(rows, sets_axes);
  std::vector<double> values;
  for (const auto& row : rows)
    for (const auto* key : keys)
      if ((!any || sets_axes(row)) && !row[key].is_null()) values.push_back(row[key].get<double>());
  const auto [least, most] = std::ranges::minmax(values);
  return {least, most};
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

namespace {

constexpr double room = 1.1;

/// Order of drawing: the roles that set the axes are last, on top.
constexpr std::array<std::pair<const char*, Ink>, 6> role_inks = {{{"excluded", Ink::series7},
                                                                   {"input", Ink::series3},
                                                                   {"dependent", Ink::series4},
                                                                   {"failed", Ink::bad},
                                                                   {"fitted", Ink::series1},
                                                                   {"predicted", Ink::series0}}};

std::vector<PlotSeries> by_role(const Json& rows, const char* y) {
  std::vector<PlotSeries> series;
  int shape = static_cast<int>(role_inks.size());
  for (const auto& [role, ink] : role_inks) {
    PlotSeries one{role, ink, --shape};
    for (const auto& row : rows) {
      if (row["role"] != role) continue;
      const auto unit = row["unit"].get<std::string>();
      one.at.push_back({row["reported"].get<double>(), row[y].get<double>(),
                        fmt::format("{}: {:.4g} {} reported, {:.4g} simulated ({})", row["id"].get<std::string>(),
                                    row["reported"].get<double>(), unit == "-" ? "" : unit,
                                    row["simulated"].get<double>(), human_error(row["error"].get<double>()))});
    }
    series.push_back(std::move(one));
  }
  return series;
}

} // namespace

std::vector<ScoreboardPlot> scoreboard_plots(const Json& rows) {
  const auto figures = extent_of(rows, {"reported", "simulated"}), errors = extent_of(rows, {"error"});
  const double low = figures.least / room, high = figures.most * room;
  Plot values;
  values.x = {"reported, in each figure's unit", PlotUnit::number, true};
  values.y = {"simulated", PlotUnit::number, true};
  values.x.low = values.y.low = low;
  values.x.high = values.y.high = high;
  values.series = by_role(rows, "simulated");
  values.diagonal = true;
  values.band = band;
  values.height = 420;
  Plot alone;
  alone.x = values.x;
  alone.y = {"relative error", PlotUnit::percent};
  alone.y.low = std::min(errors.least, -band) * room;
  alone.y.high = std::max(errors.most, band) * room;
  alone.series = by_role(rows, "error");
  PlotSeries forms{"its closed form, where that differs", Ink::muted, 5};
  for (const auto& row : rows)
    if (row["form_differs"].get<bool>())
      forms.at.push_back({row["reported"].get<double>(), row["form"].get<double>(),
                          fmt::format("{}: {} by the closed form", row["id"].get<std::string>(),
                                      human_error(row["form"].get<double>()))});
  alone.series.insert(alone.series.begin(), std::move(forms));
  alone.levels = {{0, ""}};
  alone.band = band;
  return {
      {"Simulated against reported. On the dashed line they agree; the band is 10 % to either side. Axes fit what is "
       "predicted and fitted: other figures beyond them are at their ends.",
       "simulated against reported figures", std::move(values)},
      {"The error alone, over the reported value.", "relative errors", std::move(alone)}};
}

} // namespace gradflight
