#include "analysis/evidence/reproduction/scoreboard_output.hpp"

#include "base/human.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr double band = 0.1, room = 1.1;

/// Order of drawing: the roles that set the axes are last, on top.
constexpr std::array<std::pair<FigureRole, Ink>, 6> role_inks = {{{FigureRole::excluded, Ink::series7},
                                                                  {FigureRole::input, Ink::series3},
                                                                  {FigureRole::dependent, Ink::series4},
                                                                  {FigureRole::failed, Ink::bad},
                                                                  {FigureRole::fitted, Ink::series1},
                                                                  {FigureRole::predicted, Ink::series0}}};

using Figures = std::vector<FigureScore>;

double reported_value(const FigureScore& score) { return *score.figure->published.number(); }

/// Whether both values of a figure can be drawn on a logarithmic axis.
bool drawable(const FigureScore& score) {
  const auto* reported = score.figure->published.number();
  return reported != nullptr && *reported > 0 && score.simulated && *score.simulated > 0;
}

bool sets_axes(const FigureScore& score) {
  return score.role() == FigureRole::predicted || score.role() == FigureRole::fitted;
}

Figures selected(const Figures& figures, bool (*condition)(const FigureScore&)) {
  Figures some;
  std::ranges::copy_if(figures, std::back_inserter(some), condition);
  return some;
}

std::vector<PlotSeries> by_role(const Figures& figures, std::optional<double> FigureScore::*y) {
  std::vector<PlotSeries> series;
  int shape = static_cast<int>(role_inks.size());
  for (const auto& [role, ink] : role_inks) {
    PlotSeries& one = series.emplace_back(PlotSeries{role_name(role), ink, --shape});
    for (const auto& score : figures) {
      if (score.role() != role) continue;
      const auto& published = score.figure->published;
      one.at.push_back({reported_value(score), *(score.*y),
                        fmt::format("{}: {:.4g} {} reported, {:.4g} simulated ({})", published.id,
                                    reported_value(score), published.unit == "-" ? "" : published.unit,
                                    *score.simulated, human_error(*score.relative_error))});
    }
  }
  return series;
}

} // namespace

void add_plots(Page& page, const PaperScore& paper) {
  const auto drawn = selected(paper.figures, drawable);
  if (drawn.empty()) return;
  auto axes = selected(drawn, sets_axes);
  if (axes.empty()) axes = drawn;
  std::vector<double> values, errors;
  for (const auto& score : axes) {
    values.insert(values.end(), {reported_value(score), *score.simulated});
    errors.push_back(*score.relative_error);
  }
  Plot both;
  both.x = {"reported, in each figure's unit", PlotUnit::number, true};
  both.y = {"simulated", PlotUnit::number, true};
  both.x.low = both.y.low = std::ranges::min(values) / room;
  both.x.high = both.y.high = std::ranges::max(values) * room;
  both.series = by_role(drawn, &FigureScore::simulated);
  both.diagonal = true;
  both.band = band;
  both.height = 420;
  page.figure("Simulated against reported. On the dashed line they agree; the band is 10 % to either side. Axes fit "
              "what is predicted and fitted: other figures beyond them are at their ends.",
              both, "simulated against reported figures");
  Plot alone;
  alone.x = both.x;
  alone.y = {"relative error", PlotUnit::percent};
  alone.y.low = std::min(std::ranges::min(errors), -band) * room;
  alone.y.high = std::max(std::ranges::max(errors), band) * room;
  PlotSeries& forms = alone.series.emplace_back(PlotSeries{"its closed form, where that differs", Ink::muted, 5});
  for (const auto& score : drawn)
    if (score.role() == FigureRole::predicted && score.form_differs())
      forms.at.push_back(
          {reported_value(score), *score.form_error(),
           fmt::format("{}: {} by the closed form", score.figure->published.id, human_error(*score.form_error()))});
  std::ranges::move(by_role(drawn, &FigureScore::relative_error), std::back_inserter(alone.series));
  alone.levels = {{0, ""}};
  alone.band = band;
  page.figure("The error alone, over the reported value.", alone, "relative errors");
}

} // namespace gradflight
