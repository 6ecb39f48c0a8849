#include "platforms/code/spec/gpu_type.hpp"

#include <algorithm>
#include <array>

namespace gradflight {
namespace {

constexpr ByteRate gigabytes(double value) { return ByteRate(value * 1e9); }

/// Packets of PCI Express carry 128 bytes of a GPU's data with 24 of framing, header and checksum.
constexpr double pcie_share = 128.0 / (128 + 24);

constexpr const char* nccl = "data sheet; payload: NCCL 2.30, graph/topo.h";
constexpr const char* rccl = "data sheet; payload: RCCL, src/graph/topo.h";

GpuType catalogued(const char* name, GpuGeneration generation, int links, double rate, double payload, int pcie,
                   const char* source) {
  GpuType type;
  type.name = name;
  type.generation = generation;
  type.links = links;
  type.link_rate = gigabytes(rate);
  type.link_efficiency = links > 0 ? payload / rate : 1;
  type.pcie_generation = pcie;
  type.pcie_efficiency = pcie_share;
  type.source = source;
  return type;
}

GpuType with_host_link(GpuType type, double host) {
  type.host_link = gigabytes(host);
  return type;
}

std::vector<GpuType> all_types() {
  using enum GpuGeneration;
  // V100: one link of a DGX-1 gives 22.6 GB/s; NCCL's value of 20 is lower.
  return {
      catalogued("K80", kepler, 0, 0, 0, 3, "data sheet (one of the board's two GPUs)"),
      catalogued("P100", pascal, 4, 20, 18, 3, nccl),
      catalogued("V100", volta, 6, 25, 22.6, 3, "data sheet; payload: one link's rate, docs/platforms.md"),
      catalogued("A100", ampere, 12, 25, 20, 4, nccl),
      catalogued("RTX3090", ampere, 4, 14.0625, 14.0625 * 0.8, 4,
                 "data sheet; payload share as A100's (general knowledge)"),
      catalogued("H100", hopper, 18, 25, 20.6, 5, nccl),
      catalogued("H200", hopper, 18, 25, 20.6, 5, nccl),
      with_host_link(catalogued("GH200", hopper, 18, 25, 20.6, 5, nccl), 450),
      catalogued("B200", blackwell, 18, 50, 40.1, 5, nccl),
      with_host_link(catalogued("GB200", blackwell, 18, 50, 40.1, 5, nccl), 225),
      with_host_link(catalogued("MI250X", cdna2, 8, 50, 36, 4, "data sheet (one of the two dies); payload: RCCL"), 36),
      catalogued("MI300X", cdna3, 7, 64, 48, 5, rccl),
      catalogued("MI325X", cdna3, 7, 64, 48, 5, rccl)};
}

} // namespace

ByteRate pcie_rate(int generation, int lanes) {
  // GT/s and line code of generations 1 to 6: 8b/10b, 128b/130b, flits of 242 of 256 bytes.
  constexpr std::array<double, 6> bits = {2.5e9 * 0.8,      5e9 * 0.8,        8e9 * 128 / 130,
                                          16e9 * 128 / 130, 32e9 * 128 / 130, 64e9 * 242 / 256};
  return ByteRate(bits[static_cast<std::size_t>(std::clamp(generation, 1, 6) - 1)] * lanes / 8);
}

ByteRate GpuType::to_host() const {
  return host_link ? *host_link : pcie_rate(pcie_generation, pcie_lanes) * pcie_efficiency;
}

const std::vector<GpuType>& gpu_types() {
  static const std::vector<GpuType> types = all_types();
  return types;
}

} // namespace gradflight
