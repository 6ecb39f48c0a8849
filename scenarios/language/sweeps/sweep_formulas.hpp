// The computed columns of a sweep: checks them against its points, and computes their values.
#pragma once

#include "scenarios/language/sweeps/sweep_points.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// A column in the file: a text, which predicts time_s if it is a time, or an object with the predicted quantity.
struct FormulaForm {
  std::string name;
  Position position{};
  Node formula;
  std::optional<Node> against{};
  bool plain = true; ///< written as a text
};

class FormulaReader {
public:
  /// `sound`: the sweep has valid points. `sweep` and `quantities` must outlive the reader. Without quantities, an
  /// unknown name may be a quantity, so its formula is left out.
  FormulaReader(Sweep& sweep, const QuantityNames& quantities, bool sound)
      : sweep_(sweep), quantities_(quantities), sound_(sound), axes_(axis_columns(sweep)) {}

  /// Adds a column to the sweep, or reports a mistake: an unknown name, kinds that do not match at some point, or the
  /// name of another column.
  void add(const FormulaForm& form, std::vector<Problem>& problems);

private:
  bool added(const FormulaForm& form, std::vector<Problem>& problems);
  /// Reports mistakes of a formula at "/columns/NAME".
  struct Report;
  bool good_name(const FormulaForm& form, const Report& report) const;
  std::size_t meaning(SweepFormula& formula, const std::string& name, std::size_t offset);
  const Node* example_scenario();
  bool fits_everywhere(SweepFormula& formula, const Report& report);
  bool has_value_somewhere(const SweepFormula& formula, const Report& report);
  void choose_prediction(const FormulaForm& form, SweepFormula& formula, const Report& report) const;

  Sweep& sweep_;
  const QuantityNames& quantities_;
  bool sound_;
  std::vector<AxisColumn> axes_;
  /// Formulas with reported mistakes; formulas that use their names are not reported again.
  std::vector<std::string> broken_{};
  std::optional<Node> example_{}; ///< the scenario of a point, computed on demand; null: no point is valid
};

/// Adds "NAME=FORMULA" from the command line. Throws std::invalid_argument with the mistake.
void add_formula(Sweep& sweep, const std::string& argument, const QuantityNames& quantities);

FormulaForm form_of(const SweepFormula& formula);

/// Returns the value of a name at a point; nothing if the point has no such value.
using PointValue = std::function<std::optional<WhereValue>(const SweepFormula::Name& name)>;
/// Returns each formula's value at a point; nothing if a value is missing, or the result is not a number (1 / 0).
/// `last_error` receives the reason if the last formula has no result.
std::vector<std::optional<WhereValue>> formula_values(const std::vector<SweepFormula>& formulas,
                                                      const PointValue& value,
                                                      std::optional<WhereError>* last_error = nullptr);

/// Returns the value at a dotted path, list items by number; null if it does not exist.
const Node* value_at(const Node& root, std::string_view path);
/// Returns a scenario as a node with all defaults.
Node whole_scenario(const Scenario& scenario);

} // namespace gradflight
