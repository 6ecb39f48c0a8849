// Each machine left out: predicted from its catalogue entry and its documented facts, with nothing fitted to it.
// Typical values, from the fits of other machines, replace its own fit (typical_network.hpp).
#pragma once

#include "analysis/evidence/boards/board_runs.hpp"

namespace gradflight {

/// The same packs, predicted in two ways.
struct MeasuredBoards {
  std::vector<BoardPack> in_place; ///< with their own fits
  /// With typical values; one for each of `in_place`, in the same order. Each has the tables of collectives in their
  /// order, and none of training.
  std::vector<BoardPack> left_out{};
};

/// Returns each pack with typical values instead of its fit. All its tables of collectives are scored: none was fitted
/// to. Nothing is simulated.
std::vector<BoardPack> leave_one_out(const std::vector<BoardPack>& packs, const std::vector<NetworkNumbers>& all);

/// Simulates `packs` in both ways, `jobs` tables at a time. `all`: the numbers of all packs that typical values may
/// come from. Throws as simulate_boards does.
MeasuredBoards simulate_measured(std::vector<BoardPack> packs, const std::vector<NetworkNumbers>& all, int jobs,
                                 const BatchProgress& progress = {});

} // namespace gradflight
