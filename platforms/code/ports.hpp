// Data of the nodes that Platform::route needs. Private to platform.cpp and build_platform.cpp.
#pragma once

#include "platforms/code/intra_node.hpp"
#include "platforms/code/node_shape.hpp"

namespace gradflight {

struct Platform::Ports {
  int gpus_per_node = 1;
  IntraNode intra{};
  Terminals terminals{};
  std::uint64_t seed = 0; ///< for routing by hash
  // Only for a platform with `node`:
  std::unique_ptr<NodeShape> shape{};
  std::int32_t first_inner = 0; ///< node 0's first inner link

  [[nodiscard]] std::int32_t inner(int node) const {
    return first_inner + node * static_cast<std::int32_t>(shape->links().size());
  }
};

} // namespace gradflight
