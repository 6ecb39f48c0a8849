// What a training step computes and which gradients it makes: layers in forward order, tensors within layers.
#pragma once

#include "models/units/units.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gradflight {

struct Tensor {
  std::string name;
  std::int64_t elements = 0; ///< >= 1; a gradient is 4 bytes an element
};

/// Times are per iteration on a place of compute_speed 1 (seconds).
struct Layer {
  std::string name;
  double forward = 0, backward = 0;
  std::vector<Tensor> tensors; ///< forward order; may be empty (pooling, activation)
};

struct Workload {
  std::string name, source;
  std::vector<Layer> layers; ///< forward order; gradients become ready from the last layer to the first
  double update = 0;         ///< seconds to apply the whole model's update on one rank
  std::int64_t batch = 0;    ///< samples per rank and iteration; 0: not given
  // For people; they cannot change a timing.
  std::string gpu{};     ///< on which the times hold; empty: not said
  std::string assumed{}; ///< what of it nobody has measured; empty: nothing

  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] double forward() const; ///< sum over layers, in order
  [[nodiscard]] double backward() const;
};

} // namespace gradflight
