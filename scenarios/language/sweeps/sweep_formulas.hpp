// The columns of a sweep that are worked out: read against its points, and worked out of them.
#pragma once

#include "scenarios/language/sweeps/sweep_points.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// A column as written: a text, which predicts time_s where it is a time, or an object, which says what it predicts.
struct FormulaForm {
  std::string name;
  Position position{};
  Node formula;
  std::optional<Node> against{};
  bool plain = true; ///< a text
};

class FormulaReader {
public:
  /// `sound`: the sweep has points that can be looked at. Both outlive the reader. Without quantities a name that is
  /// nothing else may be one, and the formula is left out.
  FormulaReader(Sweep& sweep, const QuantityNames& quantities, bool sound)
      : sweep_(sweep), quantities_(quantities), sound_(sound), axes_(axis_columns(sweep)) {}

  /// Adds a column to the sweep, or reports why not: an unknown name, parts that do not fit together at some point, the
  /// name of another column.
  void add(const FormulaForm& form, std::vector<Problem>& problems);

private:
  bool added(const FormulaForm& form, std::vector<Problem>& problems);
  /// Reports for a formula, at "/columns/NAME".
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
  std::vector<std::string> broken_{}; ///< formulas that were told to be wrong: who names one is not told again
  std::optional<Node> example_{};     ///< a point's scenario, once it was needed; null: no point is one
};

/// Adds "NAME=FORMULA", as a command line has it. Throws std::invalid_argument with what is wrong.
void add_formula(Sweep& sweep, const std::string& argument, const QuantityNames& quantities);

FormulaForm form_of(const SweepFormula& formula);

/// What a name stands for at a point; nothing where the point has no such value.
using PointValue = std::function<std::optional<WhereValue>(const SweepFormula::Name& name)>;
/// Each formula's value at a point; nothing where a value is missing, or the result is no number (1 / 0). `last_error`
/// receives why the last formula's result is none.
std::vector<std::optional<WhereValue>> formula_values(const std::vector<SweepFormula>& formulas,
                                                      const PointValue& value,
                                                      std::optional<WhereError>* last_error = nullptr);

/// The value at a dotted path, list items by number; null where there is none.
const Node* value_at(const Node& root, std::string_view path);
/// A scenario as a node with every default filled in.
Node whole_scenario(const Scenario& scenario);

} // namespace gradflight
