// Converts the rows of a CSV file to a list of objects, for tables such as traces.
#pragma once

#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/json/sources.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// The header of the sheet (base/sheet.hpp) contains keys of `table`. An empty field means that the row lacks the key.
/// The sheet's mistakes become problems, reported at `pointer`; rows with a mistake are left out. Unknown keys also
/// become problems. Returns no list if a key is unknown or repeated, or if the header cannot be read.
std::optional<Node> csv_objects(std::string_view text, int file, const TableInfo& table, const std::string& pointer,
                                std::vector<Problem>& problems);

} // namespace gradflight
