// Each machine left out: predicted from its catalogue entry and its documented facts, with nothing fitted to it.
// Typical values, from the fits of other machines, replace its own fit (typical_network.hpp).
#pragma once

#include "analysis/evidence/boards/board_runs.hpp"

namespace gradflight {

/// The same packs, predicted in two ways.
struct MeasuredBoards {
  std::vector<BoardPack> in_place; ///< with their own fits
  /// With typical values: one pack for each of `in_place`, in the same order. Each contains the tables of collectives
  /// in their order, and no tables of training.
  std::vector<BoardPack> left_out{};
};

/// Returns each pack with typical values instead of its fit. All its tables of collectives are scored, because none was
/// used in a fit. Does not simulate.
std::vector<BoardPack> leave_one_out(const std::vector<BoardPack>& packs, const std::vector<NetworkNumbers>& all);

/// Simulates `packs` in both ways, with `jobs` tables in parallel. `all` contains the numbers of all packs that may
/// contribute typical values. Throws like simulate_boards.
MeasuredBoards simulate_measured(std::vector<BoardPack> packs, const std::vector<NetworkNumbers>& all, int jobs,
                                 const BatchProgress& progress = {});

} // namespace gradflight
