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

/// One value for each of Sweep::columns(). `combination` is below the product of the axes' sizes.
std::vector<const Node*> values_at(const Sweep& sweep, std::int64_t combination);

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

/// A path as a column: where all its values are quantities of one dimension, numbers in the base unit, which the name
/// then carries ("platform.network.link.latency_s"); else as written.
struct PathColumn {
  std::string path, name;
  std::optional<Dimension> dimension;
};
std::vector<PathColumn> path_columns(const Sweep& sweep);
Cell path_cell(const PathColumn& column, const Node& value);

/// The place of the first character inside a text's or key's quotes.
Position first_character(Position text);

} // namespace gradflight
