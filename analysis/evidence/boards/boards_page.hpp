// The measured boards as a page: statistics, and for each machine and operation what was measured and simulated over
// size.
#pragma once

#include "analysis/evidence/boards/leave_one_out.hpp"

#include <string>

namespace gradflight {

/// Opens offline (page.hpp).
std::string boards_page(const MeasuredBoards& measured, const std::string& command = {});

} // namespace gradflight
