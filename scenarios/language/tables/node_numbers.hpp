// Sets of nodes as people write them: 3, [1, 2] or "0-3,7".
#pragma once

#include "scenarios/language/fields/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// "0-3,7" -> 0 1 2 3 7: sorted, each once, each below max_ranks. Nothing if the text is anything else.
std::optional<std::vector<int>> parse_node_numbers(std::string_view text);
/// 0 1 2 3 7 -> "0-3,7"; `nodes` sorted, each once.
std::string format_node_numbers(const std::vector<int>& nodes);

Value<std::vector<int>> node_numbers();

} // namespace gradflight
