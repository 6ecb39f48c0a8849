// The measured boards as a page: statistics, and for each machine and operation what was measured and simulated over
// size.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

#include <string>

namespace gradflight {

/// Opens offline (page.hpp).
std::string boards_page(const std::vector<BoardPack>& packs, const std::string& command = {});

} // namespace gradflight
