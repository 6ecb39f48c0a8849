// Properties of a GPU that a model needs before any measurement: its peak rate and its memory.
#pragma once

#include "models/units/units.hpp"

#include <string_view>
#include <vector>

namespace gradflight {

/// From data sheets.
struct GpuCapacity {
  std::string_view name; ///< as in gpu_types()
  FlopRate peak{};       ///< dense, in 16 bits if the GPU has units for it; a multiply-add counts as two
  Bytes memory{};        ///< of the largest variant sold
};

/// One for each of gpu_types(), in their order.
const std::vector<GpuCapacity>& gpu_capacities();
/// Null if the name is unknown.
const GpuCapacity* find_gpu_capacity(std::string_view name);

} // namespace gradflight
