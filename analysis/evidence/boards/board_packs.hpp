// Finds the packs of measured tables, and reads the rows that they name.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

#include <filesystem>

namespace gradflight {

/// Returns the files DIR/*.json, sorted. Throws InputErrors if none exist.
std::vector<std::filesystem::path> measured_files(const std::filesystem::path& directory);

/// Returns the packs DIR/*.json, sorted. `names` selects packs by their names or file names; empty: all. Throws
/// InputErrors with every mistake of all packs. Mistakes are unknown packs, unreadable logs, unknown columns and
/// values, and rows in two entries. Scored point-to-point rows and tables without ranks or nodes are also mistakes.
std::vector<BoardPack> load_boards(const std::filesystem::path& directory, const std::vector<std::string>& names);

/// Checks a pack that is already read, and reads its rows. Throws InputErrors in the same cases.
BoardPack check_board(Document document, const std::string& path);

} // namespace gradflight
