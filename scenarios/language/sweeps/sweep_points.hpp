// From a sweep to its points. The order is that of nested loops over the axes as written, the last one innermost.
#pragma once

#include "models/units/unit_text.hpp"
#include "scenarios/language/sweeps/sweep.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gradflight {

/// Combinations that fulfil the condition, by number (from 0, over all combinations). Throws WhereError.
std::vector<std::int64_t> selected_combinations(const Sweep& sweep);

/// Which value each axis has. `combination` is below the product of the axes' sizes.
std::vector<std::size_t> places_at(const Sweep& sweep, std::int64_t combination);

struct SweepPoint {
  std::int64_t combination = 0;
  std::string id;                   ///< scenario_id; for no valid scenario a hash of what it says, and "-invalid"
  std::optional<Scenario> scenario; ///< empty: invalid
  std::vector<Diagnostic> errors;   ///< why
};

/// Never throws InputErrors: a point that is no valid scenario says so.
SweepPoint point_at(const Sweep& sweep, std::int64_t combination);

/// Pointers and messages without places: the same wherever the sweep's file lies.
std::string brief_message(const std::vector<Diagnostic>& errors);

/// A value in a table of results; times in seconds, sizes in bytes and so on.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// A column of the axes, called as its axis where that has a name of its own. Each path is one: where all its values
/// are quantities of one dimension, numbers in the base unit, which the name then carries
/// ("platform.network.link.latency_s"); else as written. Labels are a column before the paths', called as the axis;
/// they take the place of the values of a path whose axis has no other name.
struct AxisColumn {
  std::string path;      ///< or the name of a zipped axis
  std::string axis_name; ///< of a single path's axis: the path, or the name that it was given
  std::string name;
  std::optional<Dimension> dimension{};
  std::size_t axis = 0;
  const std::vector<Node>* values = nullptr; ///< of the sweep, which outlives the column
  bool behind_label = false;                 ///< a path whose axis has labels, which say more
};
std::vector<AxisColumn> axis_columns(const Sweep& sweep);

/// What conditions and formulas may call them: by path, and by a name that their axis was given.
struct AxisNames {
  std::vector<std::string> names;
  std::vector<std::size_t> columns; ///< of each name
};
AxisNames axis_names(const std::vector<AxisColumn>& columns);
Cell axis_cell(const AxisColumn& column, const Node& value);
/// "_s", "_bytes", ...: how a column's name ends that holds such quantities.
const char* suffix_of(Dimension dimension);
/// The dimension whose suffix ends `name`; nothing where there is none.
std::optional<Dimension> dimension_of_column(std::string_view name);
/// `name` with that end, if it has not.
std::string with_suffix(const std::string& name, Dimension dimension);

/// The place of the first character inside a text's or key's quotes.
Position first_character(Position text);

} // namespace gradflight
