// Sets of nodes in the notation of users: 3, [1, 2] or "0-3,7".
#pragma once

#include "scenarios/language/fields/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// "0-3,7" -> 0 1 2 3 7: sorted, without repetition, each below max_ranks. Returns nothing for other text.
std::optional<std::vector<int>> parse_node_numbers(std::string_view text);

Value<std::vector<int>> node_numbers();

} // namespace gradflight
