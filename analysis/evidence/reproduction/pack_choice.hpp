// Which packs there are, which of them were asked for, and what their figures come to.
#pragma once

#include "analysis/evidence/reproduction/pack_runs.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gradflight {

/// The packs below `directory` (PAPER/reproduce.json, or one in itself), sorted; of them those of `papers`, by the name
/// of the paper or of its directory, whatever its case; none named: all. Throws InputErrors for a directory without
/// packs, links to nothing, and papers without a pack.
std::vector<std::filesystem::path> chosen_packs(const std::filesystem::path& directory,
                                                const std::vector<std::string>& papers);

/// All packs, or every error of every pack (InputErrors), before anything is simulated; two of one paper are one.
std::vector<CheckedPack> load_packs(const std::vector<std::filesystem::path>& files);

/// The figures of all packs, whose experiments are known to `simulations`; or every figure without a finite value
/// (InputErrors). Points into `packs`.
Scoreboard score_all(const std::vector<CheckedPack>& packs, const Simulations& simulations);

} // namespace gradflight
