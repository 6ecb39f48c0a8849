#include "platforms/code/spec/node_spec.hpp"

namespace gradflight {
namespace {

/// NVIDIA DGX-1: two quads, and links from GPU g to g + 4. V100 has two links more than P100, which double two cables.
constexpr std::array<GpuPair, 16> cube = {{{0, 1, 1},
                                           {0, 2, 1},
                                           {0, 3, 2},
                                           {0, 4, 2},
                                           {1, 2, 2},
                                           {1, 3, 1},
                                           {1, 5, 2},
                                           {2, 3, 2},
                                           {2, 6, 1},
                                           {3, 7, 1},
                                           {4, 5, 1},
                                           {4, 6, 1},
                                           {4, 7, 2},
                                           {5, 6, 2},
                                           {5, 7, 1},
                                           {6, 7, 2}}};

std::vector<GpuPair> cube_pairs(const NodeSpec& node) {
  std::vector<GpuPair> pairs;
  if (node.gpu.links < 4) return pairs;
  for (GpuPair pair : cube) {
    if (pair.b >= node.gpus) continue;
    if (node.gpu.links < 6) pair.links = 1;
    pairs.push_back(pair);
  }
  return pairs;
}

} // namespace

std::vector<GpuPair> mesh_pairs(const NodeSpec& node) {
  if (!node.mesh()) return {};
  if (!node.pairs.empty()) return node.pairs;
  if (node.intra == NodeFabric::cube_mesh) return cube_pairs(node);
  std::vector<GpuPair> pairs;
  const int links = node.gpus > 1 ? node.gpu.links / (node.gpus - 1) : 0;
  for (int a = 0; links > 0 && a < node.gpus; ++a)
    for (int b = a + 1; b < node.gpus; ++b) pairs.push_back({a, b, links});
  return pairs;
}

std::vector<std::vector<int>> nics_of_gpus(const NodeSpec& node) {
  if (!node.near.empty()) return node.near;
  std::vector<std::vector<int>> nics(static_cast<std::size_t>(node.gpus));
  if (node.nics <= node.gpus)
    for (int g = 0; g < node.gpus; ++g)
      nics[static_cast<std::size_t>(g)] = {static_cast<int>(std::int64_t{g} * node.nics / node.gpus)};
  else
    for (int k = 0; k < node.nics; ++k)
      nics[static_cast<std::size_t>(std::int64_t{k} * node.gpus / node.nics)].push_back(k);
  return nics;
}

} // namespace gradflight
