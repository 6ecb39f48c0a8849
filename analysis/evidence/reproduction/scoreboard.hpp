// Compares published figures with simulated ones: the error of each figure, and statistics over all
// (docs/reproduce.md).
#pragma once

#include "analysis/evidence/error_statistics.hpp"
#include "scenarios/language/packs/pack_fits.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gradflight {

/// The simulated value of a figure.
struct FigureScore {
  const PackFigure* figure = nullptr;
  std::optional<double> simulated;      ///< for a number, in the published unit
  std::optional<bool> holds;            ///< for a statement: true or false; for a range: whether `simulated` is in it
  std::optional<double> relative_error; ///< (simulated - reported) / reported; only for two numbers
  std::optional<double> closed_form{};  ///< the same figure with times of closed forms instead of simulated ones
  /// d ln figure / d ln number for each number of the pack: fitted ones first, then given ones. Empty: not requested.
  std::vector<double> sensitivities{};
  std::optional<double> input_share{}; ///< share of the figure due to given times, if sensitivities are known
  std::string dependent_because{};     ///< the reason found by sensitivities; empty: the pack's role applies

  [[nodiscard]] FigureRole role() const { return dependent_because.empty() ? figure->role : FigureRole::dependent; }
  [[nodiscard]] const std::string& reason() const {
    return dependent_because.empty() ? figure->reason : dependent_because;
  }
  /// Returns (closed_form - reported) / reported.
  [[nodiscard]] std::optional<double> form_error() const;
  /// Whether simulation and closed form differ by more than 1 % of the simulated value.
  [[nodiscard]] bool form_differs() const;
  /// Returns the error without input time: relative_error / (1 - input_share). Returns nothing if the share is unknown
  /// or 1.
  [[nodiscard]] std::optional<double> non_input_error() const;
};

/// Figures for which simulation and closed form differ: absolute relative errors.
struct AgainstForm {
  std::vector<double> simulation, form;     ///< for the same figures
  [[nodiscard]] std::size_t closer() const; ///< number of figures for which the simulation is closer
};

/// Counts of a paper, or of all papers. Predicted figures are those that give information.
struct ScoreCounts {
  std::size_t predicted = 0, predicted_in_text = 0, dependent = 0, fitted = 0, statements = 0, statements_held = 0,
              inputs = 0, excluded = 0, parameters = 0, choices = 0;
  // Absolute relative errors, in the figures' order.
  std::vector<double> absolute_errors;  ///< of the predicted figures
  std::vector<double> non_input_errors; ///< of the predicted figures with a known value
  std::vector<double> failed_errors;    ///< of the failed figures
  AgainstForm against_form;             ///< of the predicted figures

  [[nodiscard]] ErrorStatistics errors() const { return statistics_of(absolute_errors); }
  [[nodiscard]] ErrorStatistics errors_with_failed() const;
};

/// The errors of the predicted figures with and without a choice.
struct ChoiceScore {
  ErrorStatistics with, without; ///< over the figures that change; empty if none does
};

struct PaperScore;
/// Returns the counts of all `papers` together.
ScoreCounts counts_of(std::span<const PaperScore> papers);

struct PaperScore {
  const Pack* pack = nullptr;
  std::vector<FigureScore> figures;   ///< every published figure of the paper, in order
  std::optional<PackFits> fits;       ///< fits stored by `calibrate` beside the pack
  bool stale = false;                 ///< the fits belong to another state of the pack or its scenarios
  std::vector<ChoiceScore> choices{}; ///< same indices as Pack::choices
  [[nodiscard]] ScoreCounts counts() const { return counts_of({this, 1}); }
};

using Scoreboard = std::vector<PaperScore>;

/// `readings` are those of the figure's expression, in order. Throws WhereError if they give no finite value.
FigureScore score(const PackFigure& figure, const std::vector<double>& readings);

} // namespace gradflight
