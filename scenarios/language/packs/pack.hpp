// A reproduction pack: the experiments of one paper, the figures computed from them, and the fitted numbers
// (docs/reproduce.md).
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

/// A fitted number: a literal of a JSON file, or several literals with the same value.
struct PackParameter {
  std::string name, why;
  std::string file;                    ///< relative to the working directory
  std::vector<std::string> at;         ///< JSON pointers into the file
  std::optional<Dimension> dimension;  ///< empty: a plain number
  std::string unit;                    ///< the literal's unit, including a blank before it
  double value = 0, low = 0, high = 0; ///< in base units; low < high, both above 0 if `logarithmic`
  std::optional<double> uncertainty;   ///< one standard deviation
  bool logarithmic = true;             ///< the optimiser uses ratios instead of differences
  std::string pointer;                 ///< pointer of the entry in the pack
  std::array<Position, 2> bounds_at{}; ///< positions in the pack

  /// Returns text such as "2Gbps": in the literal's unit, with 12 digits.
  [[nodiscard]] std::string text(double v) const;
  /// Returns the JSON value that replaces the literal: exactly `v`.
  [[nodiscard]] Node node(double v) const;
  /// Returns the value rounded to `digits` significant digits in the literal's unit.
  [[nodiscard]] double rounded(double v, int digits) const;
};

/// A literal to which a pack points.
struct PackLiteral {
  std::string pointer; ///< JSON pointer into its file
  double value = 0;    ///< in base units
  std::optional<Dimension> dimension;

  /// Returns the JSON value that replaces the literal: exactly `v`.
  [[nodiscard]] Node node(double v) const;
};

/// Input numbers of the scenarios that belong together, such as all compute times of a workload. They are changed in
/// proportion, to find the figures that depend on them.
struct InputNumbers {
  std::string name, why;
  std::string file; ///< relative to the working directory
  std::vector<PackLiteral> literals;
  bool time = false; ///< times or compute rates: their part of a figure is input time

  /// Returns the sign of its sensitivities in an input share: rates are inversely proportional to times.
  [[nodiscard]] double sign() const;
};

/// A modelling decision that was made with knowledge of the figures.
struct PackChoice {
  std::string what, alternatives, tried_on, why;
  std::vector<Setting> without;         ///< settings that undo the choice; empty: none can
  std::vector<std::size_t> experiments; ///< the experiments that use it
};

/// Parameters of a common fit, and the figures of the fit: indices into Pack::parameters and Pack::figures.
struct PackFit {
  std::vector<std::size_t> parameters, figures;
};

struct PackExperiment {
  std::string name;
  std::string scenario; ///< the file, relative to the working directory; empty: its mistakes are already reported
  std::vector<Setting> settings;
  Position position{}, scenario_position{}; ///< of the name, and of the file's name
  std::string pointer;
};

enum class FigureRole {
  predicted, ///< counts in the error statistics
  dependent, ///< simulated, but follows from inputs or from counted figures: shown, not counted
  failed,    ///< simulated without a mechanism that it needs: counted separately
  statement, ///< true or false: counted separately
  fitted,
  input,
  excluded
};
/// "predicted"
const char* role_name(FigureRole role);

struct PackFigure {
  PublishedFigure published;
  FigureRole role = FigureRole::excluded;
  std::string reason;                   ///< why it has this role; fitted: the parameters; failed: the missing mechanism
  std::optional<Expression> value;      ///< empty: not simulated
  std::vector<std::size_t> experiments; ///< for each reading, an index into Pack::experiments
  std::vector<Position> quantity_positions{}; ///< position of each reading
  std::string pointer;                        ///< pointer of the value in the pack; empty: no value
  Position position{};                        ///< position of the value

  /// An experiment that is not in the pack; already reported.
  static constexpr auto no_experiment = static_cast<std::size_t>(-1);
  /// Whether the value is not valid; the mistake is already reported.
  [[nodiscard]] bool is_wrong() const { return !value && !pointer.empty(); }
  /// Whether the figure is a number with a simulated counterpart: a fit can use and predict it.
  [[nodiscard]] bool scored() const { return role == FigureRole::predicted || role == FigureRole::fitted; }
};

/// A fit to some figures that predicts others: indices into Pack::figures.
struct PackTransfer {
  std::string name;
  std::vector<std::size_t> fit, predict;
};

struct Pack {
  std::string file, paper, description;
  Position position{}; ///< position of the paper's name
  Sources sources;     ///< the files of positions
  std::string content; ///< the source of its experiments and fits, without the results of `calibrate`
  std::vector<PackParameter> parameters;
  std::vector<PackFit> fits; ///< in this order; each parameter belongs to one fit
  std::vector<InputNumbers> input_numbers;
  std::vector<PackChoice> choices;
  std::vector<PackExperiment> experiments;
  std::vector<PackFigure> figures; ///< every published figure of the paper, in order, with its role
  std::vector<PackTransfer> transfers;
};

/// Reads the pack, the published figures, and the files that contain its parameters, but not the scenarios. Throws
/// InputErrors.
Pack load_pack(const std::string& path);
/// The same, but adds mistakes to `errors` and returns the valid part of the pack, because its experiments may contain
/// further mistakes. Throws InputErrors if the file is not a pack.
Pack read_pack(const std::string& path, std::vector<Diagnostic>& errors);
/// The same for a file that is already read.
Pack read_pack(Document document, const std::string& path, std::vector<Diagnostic>& errors);
Pack decode_pack(Document document, const std::string& path);

/// Returns the replacements that give the parameters these values (one each).
std::vector<Replacement> replacements(const Pack& pack, const std::vector<double>& values);
/// Returns the replacements that multiply these numbers by `factor`.
std::vector<Replacement> replacements(const InputNumbers& numbers, double factor);

} // namespace gradflight
