#include "models/nccl/graph.hpp"

#include <array>

namespace gradflight::nccl {

std::string_view path_name(PathType type) {
  static constexpr std::array<std::string_view, 11> names = {"local",
                                                             "NVLink",
                                                             "NVLink by another GPU",
                                                             "C2C",
                                                             "one PCIe switch",
                                                             "PCIe switches",
                                                             "C2C and PCIe",
                                                             "PXN",
                                                             "the CPU's PCIe root",
                                                             "the link between sockets",
                                                             "none"};
  return names[static_cast<std::size_t>(type)];
}

std::string_view pattern_name(Pattern pattern) {
  static constexpr std::array<std::string_view, 5> names = {"ring", "balanced tree", "tree", "NVLS", "CollNet direct"};
  return names[static_cast<std::size_t>(pattern)];
}

} // namespace gradflight::nccl
