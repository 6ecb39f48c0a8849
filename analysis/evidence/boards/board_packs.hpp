// Which packs of measured tables there are, and the rows that they name.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

#include <filesystem>

namespace gradflight {

/// The files DIR/*.json, sorted. Throws InputErrors where there are none.
std::vector<std::filesystem::path> measured_files(const std::filesystem::path& directory);

/// The packs DIR/*.json, sorted; of them those called `names`, by their name or their file's; none named: all. Throws
/// InputErrors with every mistake of all of them: no such pack, logs that cannot be read, columns and values that no
/// row has, rows in two entries, of point to point that are scored, of tables that do not say their ranks or nodes.
std::vector<BoardPack> load_boards(const std::filesystem::path& directory, const std::vector<std::string>& names);

/// One that has been read, with its rows. Throws InputErrors likewise.
BoardPack check_board(Document document, const std::string& path);

} // namespace gradflight
