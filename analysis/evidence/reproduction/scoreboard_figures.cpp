#include "analysis/evidence/reproduction/scoreboard_output.hpp"

#include "analysis/evidence/reproduction/pack_sensitivity.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr Ink time_ink = Ink::series7, other_ink = Ink::series6;

/// Six hues; the seventh number uses the first hue again.
Ink ink_of(std::size_t fitted) { return series_ink(static_cast<int>(fitted % (series_inks - 2))); }

/// Returns the parts of a figure by their sensitivities: input time, each fitted number, and all other given numbers.
PageBar sensitivity_bar(const Pack& pack, const FigureScore& score) {
  PageBar bar;
  if (score.sensitivities.empty()) return bar;
  const auto add = [&](double length, Ink ink, const std::string& name, double shown) {
    constexpr double visible = 0.005;
    if (length >= visible) bar.parts.push_back({length, ink, fmt::format("{} {:+.2f}", name, shown)});
  };
  const double time = score.input_share.value_or(0);
  add(time, time_ink, "input time", time);
  for (std::size_t i = 0; i < pack.parameters.size(); ++i) {
    const double own = score.sensitivities[i];
    add(std::abs(own), ink_of(i), number_name(pack, i), own);
  }
  for (std::size_t i = 0; i < pack.input_numbers.size(); ++i) {
    const double own = score.sensitivities[pack.parameters.size() + i];
    if (!pack.input_numbers[i].time) add(std::abs(own), other_ink, pack.input_numbers[i].name, own);
  }
  return bar;
}

std::string form_text(const FigureScore& score) {
  const auto error = score.form_error();
  return error ? human_error(*error) : "";
}

std::string with_unit(const PublishedFigure& published) {
  return published.unit == "-" ? value_text(published.value) : value_text(published.value) + ' ' + published.unit;
}

} // namespace

std::vector<PageBar::Part> bar_legend(const Pack& pack) {
  std::vector<PageBar::Part> parts;
  if (std::ranges::any_of(pack.input_numbers, &InputNumbers::time)) parts.push_back({0, time_ink, "input time"});
  for (std::size_t i = 0; i < pack.parameters.size(); ++i) parts.push_back({0, ink_of(i), pack.parameters[i].name});
  if (!std::ranges::all_of(pack.input_numbers, &InputNumbers::time))
    parts.push_back({0, other_ink, "other given numbers"});
  return parts;
}

PageTable figure_table(const PaperScore& paper) {
  PageTable table{{"figure", "what", "reported", "simulated", "error", "error of form", "role", "depends on", ""}, {}};
  for (const auto& score : paper.figures) {
    if (!score.figure->value) continue;
    const auto& published = score.figure->published;
    table.rows.push_back({PageCell::unbroken(published.id), PageCell::cut(published.quantity, published.place),
                          PageCell::unbroken(with_unit(published)), simulated_text(score, ""),
                          PageCell::unbroken(error_text(score, "")), PageCell::unbroken(form_text(score)),
                          role_name(score.role()), sensitivity_bar(*paper.pack, score), PageCell::cut(score.reason())});
  }
  return table;
}

PageTable other_table(const PaperScore& paper) {
  PageTable table{{"figure", "what", "reported", "role", "why"}, {}};
  for (const auto& score : paper.figures) {
    if (score.figure->value) continue;
    const auto& published = score.figure->published;
    table.rows.push_back({PageCell::unbroken(published.id), PageCell::cut(published.quantity, published.place),
                          PageCell::unbroken(with_unit(published)), role_name(score.role()), score.reason()});
  }
  return table;
}

} // namespace gradflight
