// What of a GPU matters to a model before it is measured: how fast it multiplies at most, and what it holds.
#pragma once

#include "models/units/units.hpp"

#include <string_view>
#include <vector>

namespace gradflight {

/// By data sheets.
struct GpuCapacity {
  std::string_view name; ///< as in gpu_types()
  FlopRate peak{};       ///< dense, in 16 bits where the GPU has units for it; sums of a multiply-add count as two
  Bytes memory{};        ///< of the largest variant sold
};

/// In the order of gpu_types(), each of them.
const std::vector<GpuCapacity>& gpu_capacities();
/// Null: none of that name.
const GpuCapacity* find_gpu_capacity(std::string_view name);

} // namespace gradflight
