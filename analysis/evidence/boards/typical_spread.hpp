// The typical spread of compute times, for training jobs that are left out: from the jobs of other packs.
//
// A synchronous step waits for its slowest worker. If compute times vary exponentially (models/random/jitter.hpp), the
// slowest of p workers is late by cv (H_p - 1) of its compute time on average, with H_p = 1 + 1/2 + ... + 1/p. So each
// scale of a job gives the cv that explains how much longer its steps take than those of equal workers.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

namespace gradflight {

/// A job's passes vary by this coefficient of variation.
struct ComputeSpread {
  std::string pack{};
  double cv = 0; ///< median over the scales of the pack's jobs, >= 0
};

/// Whether typical spreads predict the cases of a table. Sharded jobs and jobs beside each other get none.
inline bool has_typical_spread(const BoardTable& table) { return table.kind == CaseKind::training; }

/// Returns the spreads of those packs that have such jobs. `packs` were simulated with equal workers.
std::vector<ComputeSpread> compute_spreads(const std::vector<BoardPack>& packs);

/// Returns the median over the other packs; nothing if none has a spread.
std::optional<TypicalNumber> typical_spread(const std::string& left_out, const std::vector<ComputeSpread>& all);

} // namespace gradflight
