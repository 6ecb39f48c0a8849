// Simulates the tables of packs, several at a time.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"
#include "analysis/run/runner.hpp"

#include <stdexcept>

namespace gradflight {

/// A line for each table whose simulation failed.
class BoardsFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Fills in what is simulated of each case and its yardsticks, `jobs` tables at a time. Throws InputErrors where a
/// pack's machine, settings or library cannot do a table, with all of them; BoardsFailed.
void simulate_boards(std::vector<BoardPack>& packs, int jobs, const BatchProgress& progress = {});

} // namespace gradflight
