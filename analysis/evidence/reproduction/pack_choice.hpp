// Finds packs, selects the requested ones, and scores their figures.
#pragma once

#include "analysis/evidence/reproduction/pack_runs.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gradflight {

/// Returns the packs below `directory` (PAPER/reproduce.json, or one in the directory itself), sorted. `papers` selects
/// packs by the name of the paper or its directory, ignoring case; empty: all. Throws InputErrors for a directory
/// without packs, broken links, and papers without a pack.
std::vector<std::filesystem::path> chosen_packs(const std::filesystem::path& directory,
                                                const std::vector<std::string>& papers);

/// Returns all packs, or throws InputErrors with every mistake of every pack, before any simulation. Two packs for one
/// paper are a mistake.
std::vector<CheckedPack> load_packs(const std::vector<std::filesystem::path>& files);

/// Returns the figures of all packs; `simulations` must contain their experiments. Throws InputErrors with every figure
/// without a finite value. The result points into `packs`.
Scoreboard score_all(const std::vector<CheckedPack>& packs, const Simulations& simulations);

} // namespace gradflight
