// The block `fitted` of a pack of measured tables: the data of the fit, and the resulting `--set` values.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"
#include "analysis/evidence/network_fit/network_fit.hpp"

namespace gradflight {

/// The data for a pack's fit: its rows with the role "fitted".
struct PackNetworkFit {
  TimedSetting setting; ///< the machine with its documented facts, without earlier fits
  std::vector<SimulableTable> tables;
  std::vector<std::size_t> fitted; ///< all of `tables`
};

/// Reads the pack and its logs. Throws InputErrors if no row has the role, or if rows belong to several operations or
/// groups of ranks. Point-to-point rows are also a mistake, because a log of them is fitted separately.
PackNetworkFit load_pack_fit(const std::string& path);

/// Returns the pack's text with new `to` and `set`; all other bytes stay the same. Throws ChangedMeanwhile if the text
/// is no longer that of a pack with the block.
std::string with_network_fit(std::string text, const NetworkFit& fit);

} // namespace gradflight
