// The block `fitted` of a pack of measured tables: what it was fitted to, and what `--set` makes of that.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"
#include "analysis/evidence/network_fit/network_fit.hpp"

namespace gradflight {

/// What a pack is fitted to: its rows of that role.
struct PackNetworkFit {
  TimedSetting setting; ///< the machine with its documented facts, without what was fitted before
  std::vector<SimulableTable> tables;
  std::vector<std::size_t> fitted; ///< all of `tables`
};

/// Reads the pack and its logs. Throws InputErrors: where no row has the role, or rows of more than one operation or
/// group of ranks, or of point to point (a log of which is fitted to by itself).
PackNetworkFit load_pack_fit(const std::string& path);

/// The pack's text with `to` and `set` renewed; everything else stays byte for byte. Throws ChangedMeanwhile where the
/// text is no longer that of a pack with the block.
std::string with_network_fit(std::string text, const NetworkFit& fit);

} // namespace gradflight
