// Simulates jobs at several scales.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// A job as simulated, in seconds; what stands in the way, in sentences.
struct TrainingAnswer {
  double compute = 0, base_step = 0; ///< of a step at the smallest scale
  std::vector<double> steps{};       ///< one for each case of the table
  std::vector<double> line_rings{};  ///< likewise of contention: what needs no simulator
  std::vector<std::string> mistakes{};
};

/// Forward and backward passes and updates are scaled, all alike, such that the step at the smallest scale takes as
/// long as was measured there; nothing else is fitted, and these times are those of all scales.
TrainingAnswer training_answer(const BoardPack& board, const BoardTable& table);

/// Ratios, or losses, of simulated steps.
void fill_in_training(BoardTable& table, const TrainingAnswer& answer);

} // namespace gradflight
