#include "analysis/evidence/reproduction/scoreboard_output.hpp"

#include "analysis/evidence/reproduction/pack_sensitivity.hpp"
#include "analysis/run/text/report_text.hpp"
#include "base/human.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

std::string row(std::size_t width, const std::string& id, const std::string& reported, const std::string& simulated,
                const std::string& form, const std::string& unit, const std::string& error, const std::string& role,
                const std::string& reason) {
  return table_line(fmt::format("  {:<{}}  {:>12}  {:>12}  {:>12}  {:<12}  {:>9}  {:<9}  {}", id, width, reported,
                                simulated, form, unit, error, role, reason));
}

std::string rows(const PaperScore& paper) {
  std::size_t width = 6;
  for (const auto& score : paper.figures) width = std::max(width, score.figure->published.id.size());
  auto text = row(width, "figure", "reported", "simulated", "closed form", "unit", "error", "role", "");
  for (const auto& score : paper.figures) {
    const auto& published = score.figure->published;
    text += row(width, published.id, value_text(published.value), simulated_text(score, "-"),
                score.closed_form ? fmt::format("{:.6g}", *score.closed_form) : "-", published.unit,
                error_text(score, "-"), role_name(score.role()), score.reason());
  }
  return text;
}

/// Returns "bandwidth -0.62, compute -0.35": d ln figure / d ln number, the largest first; empty without sensitivities.
std::string sensitivity_text(const Pack& pack, const FigureScore& score) {
  constexpr double shown = 0.005; // rounds to 0.01
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < score.sensitivities.size(); ++i)
    if (std::abs(score.sensitivities[i]) >= shown) order.push_back(i);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return std::abs(score.sensitivities[i]); });
  std::string text;
  for (const auto i : order)
    text += fmt::format("{}{} {:+.2f}", text.empty() ? "" : ", ", number_name(pack, i), score.sensitivities[i]);
  return text;
}

/// Returns the sensitivities of each counted figure: d ln figure / d ln number.
std::string sensitivity_rows(const PaperScore& paper) {
  std::size_t width = 6;
  for (const auto& score : paper.figures) width = std::max(width, score.figure->published.id.size());
  std::string text;
  for (const auto& score : paper.figures) {
    const auto line = sensitivity_text(*paper.pack, score);
    if (!line.empty()) text += fmt::format("  {:<{}}  {}\n", score.figure->published.id, width, line);
  }
  return text.empty() ? text : "  d ln figure / d ln number (1 % more)\n" + text + '\n';
}

/// Returns the choice and its alternative, with the errors without it.
std::string choice_text(const PackChoice& choice, const ChoiceScore& score) {
  auto text = fmt::format("{}, instead of {}; tried on {}", choice.what, choice.alternatives, choice.tried_on);
  if (!choice.why.empty()) text += "; " + choice.why;
  if (choice.without.empty()) return text;
  if (!score.with.median) return text + "; without it no predicted figure changes";
  return text + fmt::format("; {} {} without it: {} (with it {}, {})",
                            counted(static_cast<std::int64_t>(score.with.count), "figure"),
                            score.with.count == 1 ? "changes" : "change",
                            errors_text(*score.without.median, *score.without.p90), human_percent(*score.with.median),
                            human_percent(*score.with.p90));
}

std::string parameters(const Pack& pack) {
  std::string text;
  for (std::size_t i = 0; i < pack.parameters.size(); ++i) {
    const auto& p = pack.parameters[i];
    text += fmt::format("  {} = {}  within {} .. {}  {} {}\n", p.name, value_text(p), p.text(p.low), p.text(p.high),
                        p.file, joined(p.at));
    text += wrapped_text(p.why, "      ") + wrapped_text("fitted to " + joined(fitted_to(pack, i)), "      ");
  }
  return text;
}

} // namespace

std::string simulated_text(const FigureScore& score, const std::string& none) {
  if (score.simulated) return fmt::format("{:.6g}", *score.simulated);
  if (score.holds) return *score.holds ? "true" : "false";
  return none;
}

std::string error_text(const FigureScore& score, const std::string& none) {
  if (score.relative_error) return human_error(*score.relative_error);
  if (score.holds) return *score.holds ? "holds" : "fails";
  return none;
}

std::vector<std::string> counts_text(const ScoreCounts& counts) {
  const auto figures = [](std::size_t n) { return counted(static_cast<std::int64_t>(n), "figure"); };
  const auto both = [](const ErrorStatistics& errors) {
    return errors.median ? ": " + errors_text(*errors.median, *errors.p90) : "";
  };
  std::vector<std::string> lines{fmt::format("{} predicted ({} from the text){}", figures(counts.predicted),
                                             counts.predicted_in_text, both(counts.errors()))};
  if (!counts.failed_errors.empty())
    lines.push_back(fmt::format("with {} (the model lacks a mechanism){}",
                                counted(static_cast<std::int64_t>(counts.failed_errors.size()), "failed figure"),
                                both(counts.errors_with_failed())));
  if (!counts.non_input_errors.empty())
    lines.push_back("on the part that is not input time" + both(statistics_of(counts.non_input_errors)));
  if (const auto& against = counts.against_form; !against.form.empty())
    lines.push_back(fmt::format(
        "where simulation and closed form differ by more than 1 %: simulation is closer on {} of {}, median |error| {} "
        "against {}",
        against.closer(), figures(against.form.size()), human_percent(*statistics_of(against.simulation).median),
        human_percent(*statistics_of(against.form).median)));
  auto rest = fmt::format("{} fitted to {}", counted(static_cast<std::int64_t>(counts.parameters), "parameter"),
                          figures(counts.fitted));
  if (counts.choices > 0) rest += fmt::format("; {} structural choices", counts.choices);
  if (counts.statements > 0)
    rest += fmt::format("; {} of {} statements hold", counts.statements_held, counts.statements);
  if (counts.dependent > 0) rest += fmt::format("; {} dependent", counts.dependent);
  lines.push_back(rest + fmt::format("; {}, {} excluded", counted(static_cast<std::int64_t>(counts.inputs), "input"),
                                     counts.excluded));
  return lines;
}

std::vector<std::string> choices_text(const PaperScore& paper) {
  std::vector<std::string> said;
  for (std::size_t i = 0; i < paper.choices.size(); ++i)
    said.push_back("chosen: " + choice_text(paper.pack->choices[i], paper.choices[i]));
  return said;
}

std::string value_text(const PackParameter& p) {
  return p.uncertainty ? fmt::format("{} +- {}", p.text(p.value), p.text(*p.uncertainty)) : p.text(p.value);
}

std::vector<std::string> fitted_to(const Pack& pack, std::size_t index) {
  std::vector<std::string> ids;
  for (const auto& fit : pack.fits)
    if (std::ranges::find(fit.parameters, index) != fit.parameters.end())
      for (const auto figure : fit.figures) ids.push_back(pack.figures[figure].published.id);
  return ids;
}

std::string scoreboard_text(const Scoreboard& scoreboard, bool sensitivities) {
  std::string text;
  for (const auto& paper : scoreboard)
    text += fmt::format("{}  {}\n{}\n{}{}{}{}{}\n", paper.pack->paper, paper.pack->file, rows(paper),
                        sensitivities ? sensitivity_rows(paper) : "", wrapped_text(counts_text(paper.counts()), "  "),
                        parameters(*paper.pack), wrapped_text(choices_text(paper), "  "),
                        wrapped_text(fits_text(paper), "  "));
  if (scoreboard.size() > 1) text += "all papers\n" + wrapped_text(counts_text(counts_of(scoreboard)), "  ");
  return text;
}

} // namespace gradflight
