// The points of a sweep. Their order is that of nested loops over the axes in the file; the last axis is innermost.
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

/// Returns combinations that fulfil the condition, as numbers from 0 over all combinations. Throws WhereError.
std::vector<std::int64_t> selected_combinations(const Sweep& sweep);

/// Returns the index of each axis's value. `combination` is below the product of the axes' sizes.
std::vector<std::size_t> places_at(const Sweep& sweep, std::int64_t combination);

struct SweepPoint {
  std::int64_t combination = 0;
  std::string id;                   ///< scenario_id; for an invalid scenario, a hash of its content and "-invalid"
  std::optional<Scenario> scenario; ///< empty: invalid
  std::vector<Diagnostic> errors;   ///< the mistakes of an invalid scenario
};

/// Never throws InputErrors: SweepPoint::errors contains the mistakes of an invalid scenario.
SweepPoint point_at(const Sweep& sweep, std::int64_t combination);

/// Returns pointers and messages without positions, independent of the location of the sweep's file.
std::string brief_message(const std::vector<Diagnostic>& errors);

/// A value in a table of results: times in seconds, sizes in bytes and so on.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// A column of the axes; it has the name of its axis if the axis has a separate name. Each path is a column. If all its
/// values are quantities of one dimension, the column contains numbers in the base unit. Its name then ends with the
/// unit ("platform.network.link.latency_s"). Other columns contain the original values. Labels form a column before the
/// columns of the paths, named after the axis. They replace the values of a path if its axis has no other name.
struct AxisColumn {
  std::string path;      ///< or the name of a zipped axis
  std::string axis_name; ///< for an axis with a single path: the path, or the given name
  std::string name;
  std::optional<Dimension> dimension{};
  std::size_t axis = 0;
  const std::vector<Node>* values = nullptr; ///< values in the sweep, which must outlive the column
  bool behind_label = false;                 ///< a path of an axis with labels, which are more descriptive
};
std::vector<AxisColumn> axis_columns(const Sweep& sweep);

/// Names of columns in conditions and formulas: the path, and the given name of the axis.
struct AxisNames {
  std::vector<std::string> names;
  std::vector<std::size_t> columns; ///< index of each name's column
};
AxisNames axis_names(const std::vector<AxisColumn>& columns);
Cell axis_cell(const AxisColumn& column, const Node& value);
/// Returns the suffix for names of columns with such quantities: "_s", "_bytes", ...
const char* suffix_of(Dimension dimension);
/// Returns the dimension whose suffix ends `name`; nothing if no suffix does.
std::optional<Dimension> dimension_of_column(std::string_view name);
/// Returns `name` with that suffix; does not repeat it.
std::string with_suffix(const std::string& name, Dimension dimension);

/// Returns the position of the first character inside the quotes of a text or key.
Position first_character(Position text);

} // namespace gradflight
