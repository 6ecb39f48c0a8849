// What a rank's GPU must hold for the model: weights, gradients and Adam's state in mixed precision, 16 bytes a
// parameter (an fp8 gradient one byte less); sharded over D ranks 4 + 12/D (ZeRO-1), 2 + 14/D (ZeRO-2), 16/D (ZeRO-3).
// Activations, which depend on what is kept of them, are not counted. Rajbhandari et al. 2020, Sec. 3 and 5.
#pragma once

#include <optional>
#include <string>

namespace gradflight {

struct Scenario;

struct MemoryNeed {
  double bytes = 0;                ///< a GPU
  double bytes_per_parameter = 16; ///< of the whole model's
  bool sharded = false;
  std::string gpu{};                ///< on which, of the catalogue; empty: not said
  std::optional<double> capacity{}; ///< of that GPU's largest variant (bytes)

  [[nodiscard]] bool too_much() const { return capacity && bytes > *capacity; }
};

/// Of the main phase.
MemoryNeed memory_per_gpu(const Scenario& scenario);

} // namespace gradflight
