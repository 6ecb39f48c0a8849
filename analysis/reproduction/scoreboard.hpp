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

  [[nodiscard]] FigureRole role() const { return figure->role; }
};

/// Over absolute relative errors. Fractions.
struct ErrorSummary {
  std::size_t count = 0;
  std::optional<double> median, p90; ///< nothing: of no figures
};

ErrorSummary summary_of(std::vector<double> absolute_errors);

/// What is counted of a paper, or of all.
struct ScoreCounts {
  std::size_t predicted = 0, predicted_in_text = 0, fitted = 0, statements = 0, statements_held = 0, inputs = 0,
              excluded = 0, parameters = 0;
  std::vector<double> absolute_errors; ///< of the predicted figures, in their order

  [[nodiscard]] ErrorSummary errors() const { return summary_of(absolute_errors); }
  ScoreCounts& operator+=(const ScoreCounts& other);
};

struct PaperScore {
  const Pack* pack = nullptr;
  std::vector<FigureScore> figures; ///< every published figure of the paper, in their order
  std::optional<PackFits> fits;     ///< what `calibrate` kept beside the pack
  bool stale = false;               ///< of another state of the pack or its scenarios
  [[nodiscard]] ScoreCounts counts() const;
};

using Scoreboard = std::vector<PaperScore>;
/// Of all papers together.
ScoreCounts counts_of(const Scoreboard& scoreboard);

/// `readings`: those of the figure's expression, in its order. Throws WhereError where they give no finite value.
FigureScore score(const PackFigure& figure, const std::vector<double>& readings);

} // namespace gradflight
