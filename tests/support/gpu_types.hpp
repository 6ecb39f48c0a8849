// GPU types by their names.
#pragma once

#include "platforms/code/spec/gpu_type.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gradflight::test {

/// Throws std::invalid_argument if the catalogue has no such type.
inline const GpuType& gpu_named(const std::string& name) {
  const auto found = std::ranges::find(gpu_types(), name, &GpuType::name);
  if (found == gpu_types().end()) throw std::invalid_argument("no GPU type " + name);
  return *found;
}

} // namespace gradflight::test
