// Simulates the tables of packs, several in parallel.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"
#include "analysis/run/runner.hpp"

#include <stdexcept>

namespace gradflight {

/// One line for each table with a failed simulation.
class BoardsFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Fills in the simulation and the yardsticks of each case, with `jobs` tables in parallel. Throws InputErrors with all
/// mistakes if a pack's machine, settings or library cannot execute a table. Throws BoardsFailed if simulations fail.
void simulate_boards(std::vector<BoardPack>& packs, int jobs, const BatchProgress& progress = {});

} // namespace gradflight
