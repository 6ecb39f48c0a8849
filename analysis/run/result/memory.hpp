// The memory that a rank's GPU needs for the model: weights, gradients and Adam's state in mixed precision. It is 2 + 2
// + 12 = 16 bytes per parameter (an fp8 gradient has one byte less). Sharded over D ranks it is 4 + 12/D (ZeRO-1), 2 +
// 14/D (ZeRO-2), or 16/D (ZeRO-3). Gradients that are accumulated whole (no_sync) take 2 instead of 2/D, and so do
// weights that stay from the forward to the backward pass. Where servers update, they hold Adam's state. Activations
// are not counted, because they depend on how many of them are stored. Rajbhandari et al. 2020, Sec. 3 and 5.
#pragma once

#include <optional>
#include <string>

namespace gradflight {

struct Scenario;

struct MemoryNeed {
  double bytes = 0;                ///< per GPU
  double bytes_per_parameter = 16; ///< relative to the parameters of the whole model
  bool sharded = false;
  bool servers_update = false;      ///< so that Adam's state is theirs
  std::string gpu{};                ///< name of the GPU in the catalogue; empty: unknown
  std::optional<double> capacity{}; ///< memory of that GPU's largest variant (bytes)

  [[nodiscard]] bool too_much() const { return capacity && bytes > *capacity; }
};

/// Returns the memory for the main phase.
MemoryNeed memory_per_gpu(const Scenario& scenario);

} // namespace gradflight
