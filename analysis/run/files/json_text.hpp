// Writes readable JSON: the same bytes for the same values on every machine.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace gradflight {

/// Keys are in insertion order. Doubles have the shortest form that reads back to the same bits. An object or array of
/// scalars is on one line; all other values are indented by two. NaN and infinity become null, because JSON lacks them.
/// Ends with a newline.
std::string json_text(const nlohmann::ordered_json& value);

/// Returns a count as an integer if it is one (counts are below 2^63); else as a double.
nlohmann::ordered_json json_count(double value);

/// Returns the value, or null.
nlohmann::ordered_json optional_json(const std::optional<double>& value);

} // namespace gradflight
