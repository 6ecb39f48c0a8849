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

/// The whole of `text` as one JSON value. Duplicate keys, NaN, numbers beyond a double, invalid UTF-8, NUL bytes,
/// nesting deeper than max_json_depth and syntax errors become problems; then there is no value. A UTF-8 byte order
/// mark is skipped.
std::optional<Node> parse_json(std::string_view text, int file, std::vector<Problem>& problems);

/// No more than a scenario may be.
FileText read_file(const std::string& path);

} // namespace gradflight
