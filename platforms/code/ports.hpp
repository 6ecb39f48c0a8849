// What Platform::route needs to know of the nodes. Private to platform.cpp and build_platform.cpp.
#pragma once

#include "platforms/code/intra_node.hpp"

namespace gradflight {

struct Platform::Ports {
  int gpus_per_node = 1;
  IntraNode intra{};
};

} // namespace gradflight
