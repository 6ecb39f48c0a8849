// Converts the rows of a CSV file to a list of objects, for tables such as traces.
#pragma once

#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/json/sources.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// The first line contains keys of `table`. An empty field means that the row lacks the key. Lines that are empty or
/// begin with # are ignored. Rows with a wrong number of fields become problems, reported at `pointer`, and are left
/// out. Unknown and repeated keys also become problems; then the function returns no list.
std::optional<Node> csv_objects(std::string_view text, int file, const TableInfo& table, const std::string& pointer,
                                std::vector<Problem>& problems);

} // namespace gradflight
