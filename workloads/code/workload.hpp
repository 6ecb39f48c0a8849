// The computation of a training step and its gradients: layers in forward order, tensors within layers.
#pragma once

#include "models/units/units.hpp"
#include "workloads/code/element.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct Tensor {
  std::string name;
  std::int64_t elements = 0; ///< >= 1
  Element element = Element::fp32;

  [[nodiscard]] double bytes() const { return dense_bytes(elements, width_of(element)); }
};

/// Times are in seconds per iteration, on a rank with compute_speed 1.
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
  // The following members are for people; they have no effect on times.
  std::string gpu{};     ///< the GPU of the times; empty: unknown
  std::string assumed{}; ///< the parts of the workload that nobody has measured; empty: none

  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] double bytes() const; ///< of all gradients, before any compression
  /// Returns the type of all elements; nothing if tensors differ.
  [[nodiscard]] std::optional<Element> element() const;
  /// Returns the names of the tensors' types, in the order of elements_by_name.
  [[nodiscard]] std::vector<std::string> element_names() const;
  [[nodiscard]] double forward() const; ///< sum over layers, in order
  [[nodiscard]] double backward() const;
};

} // namespace gradflight
