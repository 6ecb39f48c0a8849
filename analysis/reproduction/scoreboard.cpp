#include "analysis/reproduction/scoreboard.hpp"

#include "models/percentile.hpp"

#include <cmath>

namespace gradflight {

ErrorSummary summary_of(std::vector<double> absolute_errors) {
  ErrorSummary summary{absolute_errors.size(), {}, {}};
  if (absolute_errors.empty()) return summary;
  summary.median = percentile(absolute_errors, 0.5);
  summary.p90 = percentile(std::move(absolute_errors), 0.9);
  return summary;
}

ScoreCounts& ScoreCounts::operator+=(const ScoreCounts& other) {
  predicted += other.predicted;
  predicted_in_text += other.predicted_in_text;
  fitted += other.fitted;
  statements += other.statements;
  statements_held += other.statements_held;
  inputs += other.inputs;
  excluded += other.excluded;
  parameters += other.parameters;
  absolute_errors.insert(absolute_errors.end(), other.absolute_errors.begin(), other.absolute_errors.end());
  return *this;
}

ScoreCounts PaperScore::counts() const {
  ScoreCounts counts;
  counts.parameters = pack->parameters.size();
  for (const auto& score : figures) {
    switch (score.role()) {
    case FigureRole::predicted:
      ++counts.predicted;
      if (score.figure->published.in_text()) ++counts.predicted_in_text;
      counts.absolute_errors.push_back(std::abs(score.relative_error.value()));
      break;
    case FigureRole::statement:
      ++counts.statements;
      if (score.holds.value()) ++counts.statements_held;
      break;
    case FigureRole::fitted: ++counts.fitted; break;
    case FigureRole::input: ++counts.inputs; break;
    case FigureRole::excluded: ++counts.excluded;
    }
  }
  return counts;
}

ScoreCounts counts_of(const Scoreboard& scoreboard) {
  ScoreCounts counts;
  for (const auto& paper : scoreboard) counts += paper.counts();
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
