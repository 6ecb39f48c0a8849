// The measured boards as a page: statistics, and measured and simulated values over size for each machine and
// operation.
#pragma once

#include "analysis/evidence/boards/leave_one_out.hpp"

#include <string>

namespace gradflight {

/// Returns a self-contained page (page.hpp).
std::string boards_page(const MeasuredBoards& measured, const std::string& command = {});

} // namespace gradflight
