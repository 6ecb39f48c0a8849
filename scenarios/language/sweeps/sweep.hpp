// A sweep: a scenario, axes along which its values change, and the combinations of them that are worth simulating.
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

/// What one path takes, in order.
struct AxisValues {
  std::string path; ///< as --set takes it
  Position position{};
  std::vector<Node> values;
};

/// One direction of a sweep. Zipped paths change together: their lists are equally long.
struct SweepAxis {
  std::string name; ///< the path, or what a zipped axis is called
  Position position{};
  std::vector<AxisValues> paths;
  bool zipped = false;
  std::vector<Node> labels{}; ///< texts: what people call each value; empty: none given
  [[nodiscard]] std::size_t size() const { return paths.front().values.size(); }
};

/// A column that is worked out of a point's values and its result, such as a timing model of one's own.
struct SweepFormula {
  /// What a name in it stands for: an earlier formula, a column of the axes, a quantity of the result, or a key of the
  /// scenario with every default filled in. In this order: the first that has the name.
  struct Name {
    enum class Kind { formula, axis, quantity, scenario };
    Kind kind = Kind::axis;
    std::size_t index = 0; ///< of the formula, or the column
    std::string text{};    ///< the quantity's name, or the key's path
    WhereValue kind_of{};  ///< what a quantity is: 1 of its unit, a text, a truth
    friend bool operator==(const Name&, const Name&) = default;
  };
  std::string name, text;
  std::string against; ///< the quantity that it predicts; empty: none
  Position position{}, text_position{};
  std::vector<Name> names{};
  std::optional<Formula> value{};
  std::optional<Dimension> dimension{}; ///< of a quantity; a plain number, a text, true and false have none
  std::string column{};                 ///< the name, with its unit
};

/// When to give up on one point.
struct PointLimits {
  std::optional<Seconds> wall{};
  std::optional<Bytes> memory{};
};

/// A quantity of the result to keep, as written.
struct KeptQuantity {
  std::string name;
  Position position{};
};

struct Sweep {
  std::string name, description;
  Node base;                   ///< the scenario, files resolved; may lack what axes supply
  Sources sources;             ///< where `base` and the values were written
  std::vector<SweepAxis> axes; ///< as written; the last one changes fastest
  std::optional<Condition> where;
  std::string where_text;
  Position where_position{};
  std::vector<KeptQuantity> keep;
  std::vector<SweepFormula> formulas;
  PointLimits limits;

  /// Every path of every axis, in order: the columns of a point.
  [[nodiscard]] std::vector<const AxisValues*> columns() const;
};

inline constexpr std::int64_t max_combinations = 10'000'000;

/// What results hold, which the language does not know.
struct QuantityNames {
  std::function<std::string(const std::string& name)> problem{}; ///< what is wrong with a name; empty: nothing
  std::function<WhereValue(const std::string& name)> example{};  ///< 1 of the unit of one that there is, or a text
  std::vector<std::string> all{};                                ///< to say what may have been meant
};

/// Throws InputErrors. The condition has been tried on every combination.
Sweep load_sweep(const std::string& path, const QuantityNames& quantities = {});
Sweep parse_sweep(const std::string& text, const std::string& name, const QuantityNames& quantities = {});
Sweep decode_sweep(Document& document, const QuantityNames& quantities = {});

/// The sweep as a file that needs no other: every axis a list, no limits, no description. The same points and columns
/// make the same bytes.
std::string self_contained_json(const Sweep& sweep);

} // namespace gradflight
