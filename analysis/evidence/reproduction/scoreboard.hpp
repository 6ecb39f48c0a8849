// Published figures held against simulated ones: the error of each, and what may be said of all (docs/reproduce.md).
#pragma once

#include "scenarios/language/packs/pack_fits.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// The simulated side of a figure.
struct FigureScore {
  const PackFigure* figure = nullptr;
  std::optional<double> simulated;      ///< a number, in the published unit
  std::optional<bool> holds;            ///< a statement: true or false; a range: whether `simulated` is in it
  std::optional<double> relative_error; ///< (simulated - reported) / reported; a number against a number only
  std::optional<double> closed_form{};  ///< the same figure with the forms' times in place of simulated ones
  /// d ln figure / d ln number for each number of the pack: fitted ones first, then given ones. Empty: not asked.
  std::vector<double> sensitivities{};
  std::optional<double> input_share{}; ///< of the figure, what given times make; where sensitivities are known
  std::string dependent_because{};     ///< found by sensitivities; empty: it is what the pack says

  [[nodiscard]] FigureRole role() const { return dependent_because.empty() ? figure->role : FigureRole::dependent; }
  [[nodiscard]] const std::string& reason() const {
    return dependent_because.empty() ? figure->reason : dependent_because;
  }
  /// (closed_form - reported) / reported.
  [[nodiscard]] std::optional<double> form_error() const;
  /// Over what is not input time: relative_error / (1 - input_share). Nothing where that is unknown or all is input.
  [[nodiscard]] std::optional<double> non_input_error() const;
};

/// Over absolute relative errors. Fractions.
struct ErrorSummary {
  std::size_t count = 0;
  std::optional<double> median, p90; ///< nothing: of no figures
};

ErrorSummary summary_of(std::vector<double> absolute_errors);

/// Simulation and closed form where they differ by more than 1 % of the simulated value: absolute relative errors.
struct AgainstForm {
  std::vector<double> simulation, form;     ///< of the same figures
  [[nodiscard]] std::size_t closer() const; ///< figures on which simulation is
};

/// What is counted of a paper, or of all. A figure that is predicted is an informative one.
struct ScoreCounts {
  std::size_t predicted = 0, predicted_in_text = 0, dependent = 0, fitted = 0, statements = 0, statements_held = 0,
              inputs = 0, excluded = 0, parameters = 0, choices = 0;
  // Absolute relative errors, in the figures' order.
  std::vector<double> absolute_errors;  ///< of the predicted figures
  std::vector<double> non_input_errors; ///< of those for which it is known
  std::vector<double> failed_errors;    ///< of the failed ones
  AgainstForm against_form;             ///< of the predicted ones

  [[nodiscard]] ErrorSummary errors() const { return summary_of(absolute_errors); }
  [[nodiscard]] ErrorSummary errors_with_failed() const;
  ScoreCounts& operator+=(const ScoreCounts& other);
};

/// The predicted figures without a choice, and with it.
struct ChoiceScore {
  ErrorSummary with, without; ///< over those that change; none does: both empty
};

struct PaperScore {
  const Pack* pack = nullptr;
  std::vector<FigureScore> figures;   ///< every published figure of the paper, in their order
  std::optional<PackFits> fits;       ///< what `calibrate` kept beside the pack
  bool stale = false;                 ///< of another state of the pack or its scenarios
  std::vector<ChoiceScore> choices{}; ///< as Pack::choices
  [[nodiscard]] ScoreCounts counts() const;
};

using Scoreboard = std::vector<PaperScore>;
/// Of all papers together.
ScoreCounts counts_of(const Scoreboard& scoreboard);

/// `readings`: those of the figure's expression, in its order. Throws WhereError where they give no finite value.
FigureScore score(const PackFigure& figure, const std::vector<double>& readings);

} // namespace gradflight
