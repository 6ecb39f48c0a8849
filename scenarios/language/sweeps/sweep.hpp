// A sweep: a scenario, axes of changing values, and the combinations of them to simulate.
#pragma once

#include "models/units/units.hpp"
#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/expressions/formula.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// The values of one path, in order.
struct AxisValues {
  std::string path; ///< in the form of --set
  Position position{};
  std::vector<Node> values;
};

/// One dimension of a sweep. Zipped paths change together, so their lists have equal lengths.
struct SweepAxis {
  std::string name; ///< the path, or the name of a zipped axis
  Position position{};
  std::vector<AxisValues> paths;
  bool zipped = false;
  std::vector<Node> labels{}; ///< texts: a name for each value; empty: none
  [[nodiscard]] std::size_t size() const { return paths.front().values.size(); }
};

/// A column computed from a point's values and its result, such as a timing model of the user.
struct SweepFormula {
  /// The meaning of a name: the first match of an earlier formula, a column of the axes, a quantity of the result, or a
  /// key of the scenario with all defaults.
  struct Name {
    enum class Kind { formula, axis, quantity, scenario };
    Kind kind = Kind::axis;
    std::size_t index = 0; ///< index of the formula or column
    std::string text{};    ///< name of the quantity, or path of the key
    WhereValue kind_of{};  ///< an example of the quantity: 1 of its unit, a text, or a truth value
    friend bool operator==(const Name&, const Name&) = default;
  };
  std::string name, text;
  std::string against; ///< the quantity that the formula predicts; empty: none
  Position position{}, text_position{};
  std::vector<Name> names{};
  std::optional<Formula> value{};
  std::optional<Dimension> dimension{}; ///< of a quantity; absent for plain numbers, texts, true and false
  std::string column{};                 ///< the name with its unit
};

/// Limits of the resources for one point.
struct PointLimits {
  std::optional<Seconds> wall{};
  std::optional<Bytes> memory{};
};

/// A quantity of the result to keep, as in the file.
struct KeptQuantity {
  std::string name;
  Position position{};
};

struct Sweep {
  std::string name, description;
  Node base;                   ///< the scenario with resolved files; may lack values that the axes supply
  Sources sources;             ///< the files of `base` and of the values
  std::vector<SweepAxis> axes; ///< in the order of the file; the last one changes fastest
  std::optional<Condition> where;
  std::string where_text;
  std::vector<KeptQuantity> keep;
  std::vector<SweepFormula> formulas;
  PointLimits limits;

  /// Returns every path of every axis, in order: the columns of a point.
  [[nodiscard]] std::vector<const AxisValues*> columns() const;
};

inline constexpr std::int64_t max_combinations = 10'000'000;

/// The quantities of results; this module does not know them.
struct QuantityNames {
  std::function<std::string(const std::string& name)> problem{}; ///< returns the mistake in a name; empty: none
  /// Returns 1 of the unit of an existing quantity, or a text.
  std::function<WhereValue(const std::string& name)> example{};
  std::vector<std::string> all{}; ///< all names, for suggestions
};

/// Throws InputErrors. Evaluates the condition for every combination.
Sweep load_sweep(const std::string& path, const QuantityNames& quantities = {});
Sweep parse_sweep(const std::string& text, const std::string& name, const QuantityNames& quantities = {});
Sweep decode_sweep(Document& document, const QuantityNames& quantities = {});

/// Returns the sweep as a self-contained file: every axis is a list; no limits and no description. The same points and
/// columns give the same bytes.
std::string self_contained_json(const Sweep& sweep);

} // namespace gradflight
