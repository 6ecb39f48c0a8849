// Simulates jobs at several scales.
#pragma once

#include "analysis/evidence/boards/board_case.hpp"

#include <string>
#include <vector>

namespace gradflight {

/// The simulation of a job in seconds, or sentences with the reasons why it is impossible.
struct TrainingAnswer {
  double compute = 0, base_step = 0; ///< of a step at the smallest scale
  std::vector<double> steps{};       ///< time of a step for each case of the table
  std::vector<double> line_rings{};  ///< the same for contention: the yardstick without a simulator
  std::vector<std::string> mistakes{};
};

/// Scales forward and backward passes and updates by one factor, so that the step at the smallest scale takes the
/// measured time. Nothing else is fitted. All scales use these times. If the pack has a `spread`, the passes vary by it
/// (platform.jitter, exponential, seed 0), and a step is the mean of 200.
TrainingAnswer training_answer(const BoardPack& board, const BoardTable& table);

/// Fills in the ratios, or losses, of simulated steps.
void fill_in_training(BoardTable& table, const TrainingAnswer& answer);

} // namespace gradflight
