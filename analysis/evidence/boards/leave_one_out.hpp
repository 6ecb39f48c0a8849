// Each machine left out: predicted from its catalogue entry and its documented facts, with nothing fitted to it.
// Typical values, from the fits of other machines, replace its own fit (typical_network.hpp). Training jobs get the
// typical spread of compute times of other packs' jobs (typical_spread.hpp).
#pragma once

#include "analysis/evidence/boards/board_runs.hpp"
#include "analysis/evidence/boards/typical_spread.hpp"

#include <algorithm>

namespace gradflight {

/// The same packs, predicted in two ways.
struct MeasuredBoards {
  std::vector<BoardPack> in_place; ///< with their own fits
  /// With typical values: one pack for each of `in_place`, with the same tables, in the same order. Tables that typical
  /// values do not serve have no cases.
  std::vector<BoardPack> left_out{};
};

/// Other packs that contribute typical values.
struct TypicalSources {
  std::vector<NetworkNumbers> networks{}; ///< of all packs
  std::vector<BoardPack> trainers{};      ///< those besides the simulated ones, with only the jobs that have a spread
};

/// Reads all packs DIR/*.json; `packs` are those that will be simulated. Throws like all_network_numbers and
/// load_boards.
TypicalSources typical_sources(const std::filesystem::path& directory, const std::vector<BoardPack>& packs);

/// Returns each pack with typical values instead of its fit. All its tables of collectives are scored, because none was
/// used in a fit. Does not simulate, and leaves out no training jobs.
std::vector<BoardPack> leave_one_out(const std::vector<BoardPack>& packs, const std::vector<NetworkNumbers>& all);

/// Simulates the training jobs of packs left out with the typical spread of `all` others, where these have one.
void simulate_spreads(MeasuredBoards& boards, const std::vector<ComputeSpread>& all, int jobs);

/// Returns the same case of table `table` of pack `pack` with the pack left out; null if there is none.
const BoardCase* left_out_case(const MeasuredBoards& measured, std::size_t pack, std::size_t table, std::size_t one);

/// Whether typical values serve a table of the pack.
inline bool is_left_out(const BoardPack& left_out) {
  return std::ranges::any_of(left_out.tables, [](const BoardTable& table) { return !table.cases.empty(); });
}

/// Simulates `packs` in both ways, with `jobs` tables in parallel. Throws like simulate_boards.
MeasuredBoards simulate_measured(std::vector<BoardPack> packs, TypicalSources all, int jobs,
                                 const BatchProgress& progress = {});

} // namespace gradflight
