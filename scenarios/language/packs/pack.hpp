// A reproduction pack: one paper's experiments, the figures that are worked out from them, and the numbers that were
// fitted to get there (docs/reproduce.md).
#pragma once

#include "models/units/unit_text.hpp"
#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/expressions/expression.hpp"
#include "scenarios/language/packs/published.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// A number that was fitted: a literal of a JSON file, or several that say the same.
struct PackParameter {
  std::string name, why;
  std::string file;                    ///< as seen from the working directory
  std::vector<std::string> at;         ///< JSON pointers into it
  std::optional<Dimension> dimension;  ///< nothing: a plain number
  std::string unit;                    ///< the literal's, with the blank before it if it has one
  double value = 0, low = 0, high = 0; ///< in base units; low < high, both above 0 where `logarithmic`
  std::optional<double> uncertainty;   ///< one standard deviation
  bool logarithmic = true;             ///< the optimiser steps in ratios, not in differences
  std::string pointer;                 ///< of the entry in the pack
  std::array<Position, 2> bounds_at{}; ///< in the pack

  /// "2Gbps": in the literal's unit, to 12 digits.
  [[nodiscard]] std::string text(double v) const;
  /// What may stand in the literal's place: exactly `v`.
  [[nodiscard]] Node node(double v) const;
  /// The value with so many significant digits in the literal's unit.
  [[nodiscard]] double rounded(double v, int digits) const;
};

/// A literal that a pack points at.
struct PackLiteral {
  std::string pointer; ///< into its file
  double value = 0;    ///< in base units
  std::optional<Dimension> dimension;

  /// What may stand in its place: exactly `v`.
  [[nodiscard]] Node node(double v) const;
};

/// Numbers that went into the scenarios and belong together (all compute times of a workload): moved in proportion, to
/// see which figures hang on them.
struct PackGiven {
  std::string name, why;
  std::string file; ///< as seen from the working directory
  std::vector<PackLiteral> literals;
  bool time = false; ///< times, or rates of computing: what they make of a figure is input time

  /// Of its sensitivities in an input share: rates make times in inverse proportion.
  [[nodiscard]] double sign() const;
};

/// How the model was built, decided with figures in sight.
struct PackChoice {
  std::string what, alternatives, tried_on, why;
  std::vector<Setting> without;         ///< leaves it out; empty: no setting does
  std::vector<std::size_t> experiments; ///< in these
};

/// Parameters that are fitted together, and to what: indices into Pack::parameters and Pack::figures.
struct PackFit {
  std::vector<std::size_t> parameters, figures;
};

struct PackExperiment {
  std::string name;
  std::string scenario; ///< the file, as seen from the working directory; empty: what is wrong with it has been told
  std::vector<Setting> settings;
  Position position{}, scenario_position{}; ///< of the name, of the file's
  std::string pointer;
};

enum class FigureRole {
  predicted, ///< counts in the error statistics
  dependent, ///< simulated, but follows from inputs or from what is counted: shown, not counted
  failed,    ///< simulated without a mechanism that it needs: counted apart
  statement, ///< true or false: counted apart
  fitted,
  input,
  excluded
};
/// "predicted"
const char* role_name(FigureRole role);

struct PackFigure {
  PublishedFigure published;
  FigureRole role = FigureRole::excluded;
  std::string reason;                   ///< why it has this role; fitted: which parameters; failed: what is absent
  std::optional<Expression> value;      ///< nothing: not simulated
  std::vector<std::size_t> experiments; ///< one for each reading, into Pack::experiments
  std::vector<Position> quantity_positions{}; ///< the same
  std::string pointer;                        ///< of the value in the pack; empty: it has none there
  Position position{};                        ///< the same

  static constexpr auto no_experiment = static_cast<std::size_t>(-1); ///< one that the pack has not, which is told
  /// There should be a value, but what stands there is none, which is told.
  [[nodiscard]] bool is_wrong() const { return !value && !pointer.empty(); }
  /// A number that simulation has one for as well: it can be fitted to and predicted.
  [[nodiscard]] bool scored() const { return role == FigureRole::predicted || role == FigureRole::fitted; }
};

/// Fit on some figures, predict others: indices into Pack::figures.
struct PackTransfer {
  std::string name;
  std::vector<std::size_t> fit, predict;
};

struct Pack {
  std::string file, paper, description;
  Position position{}; ///< of the paper's name
  Sources sources;     ///< what positions refer to
  std::string content; ///< what its experiments and fits come from, without what `calibrate` writes
  std::vector<PackParameter> parameters;
  std::vector<PackFit> fits; ///< in this order; each parameter in one
  std::vector<PackGiven> given;
  std::vector<PackChoice> choices;
  std::vector<PackExperiment> experiments;
  std::vector<PackFigure> figures; ///< every published figure of the paper, in their order, each with its role
  std::vector<PackTransfer> transfers;
};

/// Reads the pack, the published figures, and the files that its parameters stand in; the scenarios are not read.
/// Throws InputErrors.
Pack load_pack(const std::string& path);
/// The same, but where something is wrong, which goes to `errors`, the pack is what could be read of it: its
/// experiments may have mistakes to tell as well. Throws InputErrors where the file is no pack at all.
Pack read_pack(const std::string& path, std::vector<Diagnostic>& errors);
/// The same of a file that has been read.
Pack read_pack(Document document, const std::string& path, std::vector<Diagnostic>& errors);
Pack decode_pack(Document document, const std::string& path);

/// What a document is read with so that the parameters have these values (one each).
std::vector<Replacement> replacements(const Pack& pack, const std::vector<double>& values);
/// The same so that these numbers are `factor` times what stands there.
std::vector<Replacement> replacements(const PackGiven& given, double factor);

} // namespace gradflight
