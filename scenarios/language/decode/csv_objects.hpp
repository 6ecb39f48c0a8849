// A CSV as the list of objects that its rows are: for what people have as a table, a trace say.
#pragma once

#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/json/sources.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// The first line has keys of `table`; a row's empty field is a key that is not there. Lines that are empty or begin
/// with # are passed over. Rows of another length become problems, told at `pointer`, and are left out; keys that the
/// table has not, and keys twice, do, too, and then there is no list.
std::optional<Node> csv_objects(std::string_view text, int file, const TableInfo& table, const std::string& pointer,
                                std::vector<Problem>& problems);

} // namespace gradflight
