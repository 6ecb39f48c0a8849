// Strict JSON with positions.
#pragma once

#include "base/input_file.hpp"
#include "scenarios/language/json/sources.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

inline constexpr int max_json_depth = 64;
inline constexpr std::size_t max_file_bytes = 16U << 20U;

/// Parses the whole `text` as one JSON value. Duplicate keys, NaN, numbers beyond a double, invalid UTF-8, NUL bytes,
/// nesting deeper than max_json_depth and syntax errors become problems; then it returns nothing. Skips a UTF-8 byte
/// order mark.
std::optional<Node> parse_json(std::string_view text, int file, std::vector<Problem>& problems);

/// Reads at most the size limit of a scenario.
FileText read_file(const std::string& path);

} // namespace gradflight
