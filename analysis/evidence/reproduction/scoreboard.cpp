#include "analysis/evidence/reproduction/scoreboard.hpp"

#include <cmath>

namespace gradflight {

std::optional<double> FigureScore::form_error() const {
  const auto* reported = figure->published.number();
  if (!closed_form || reported == nullptr) return std::nullopt;
  const double error = (*closed_form - *reported) / *reported;
  return std::isfinite(error) ? std::optional(error) : std::nullopt;
}

bool FigureScore::form_differs() const {
  constexpr double differs = 0.01;
  return form_error() && std::abs(*closed_form - *simulated) > differs * std::abs(*simulated);
}

std::optional<double> FigureScore::non_input_error() const {
  if (!relative_error || !input_share || *input_share >= 1) return std::nullopt;
  const double error = *relative_error / (1 - *input_share);
  return std::isfinite(error) ? std::optional(error) : std::nullopt;
}

std::size_t AgainstForm::closer() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < simulation.size(); ++i)
    if (simulation[i] < form[i]) ++count;
  return count;
}

ErrorStatistics ScoreCounts::errors_with_failed() const {
  auto all = absolute_errors;
  all.insert(all.end(), failed_errors.begin(), failed_errors.end());
  return statistics_of(all);
}

namespace {

void count_predicted(const FigureScore& score, ScoreCounts& counts) {
  ++counts.predicted;
  if (score.figure->published.in_text()) ++counts.predicted_in_text;
  const double error = std::abs(score.relative_error.value());
  counts.absolute_errors.push_back(error);
  if (const auto non_input = score.non_input_error()) counts.non_input_errors.push_back(std::abs(*non_input));
  if (!score.form_differs()) return;
  counts.against_form.simulation.push_back(error);
  counts.against_form.form.push_back(std::abs(*score.form_error()));
}

void count(const FigureScore& score, ScoreCounts& counts) {
  switch (score.role()) {
  case FigureRole::predicted: count_predicted(score, counts); break;
  case FigureRole::dependent: ++counts.dependent; break;
  case FigureRole::failed: counts.failed_errors.push_back(std::abs(score.relative_error.value())); break;
  case FigureRole::statement:
    ++counts.statements;
    if (score.holds.value()) ++counts.statements_held;
    break;
  case FigureRole::fitted: ++counts.fitted; break;
  case FigureRole::input: ++counts.inputs; break;
  case FigureRole::excluded: ++counts.excluded;
  }
}

} // namespace

ScoreCounts counts_of(std::span<const PaperScore> papers) {
  ScoreCounts counts;
  for (const auto& paper : papers) {
    counts.parameters += paper.pack->parameters.size();
    counts.choices += paper.pack->choices.size();
    for (const auto& score : paper.figures) count(score, counts);
  }
  return counts;
}

FigureScore score(const PackFigure& figure, const std::vector<double>& readings) {
  FigureScore score{&figure, {}, {}, {}};
  if (!figure.value) return score;
  const auto value = figure.value->value(readings);
  if (const auto* truth = std::get_if<bool>(&value)) {
    score.holds = *truth;
    return score;
  }
  score.simulated = std::get<double>(value);
  if (const auto* reported = figure.published.number()) {
    score.relative_error = (*score.simulated - *reported) / *reported;
    if (!std::isfinite(*score.relative_error)) throw WhereError{0, "its relative error is too large for a number"};
  } else if (const auto* range = std::get_if<std::array<double, 2>>(&figure.published.value)) {
    score.holds = (*range)[0] <= *score.simulated && *score.simulated <= (*range)[1];
  }
  return score;
}

} // namespace gradflight
