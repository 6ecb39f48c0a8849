#include "platforms/code/spec/gpu_capacity.hpp"

#include <algorithm>

namespace gradflight {
namespace {

constexpr GpuCapacity capacity(std::string_view name, double tera_flops, double gigabytes) {
  return {name, FlopRate(tera_flops * 1e12), Bytes(gigabytes * 1e9)};
}

} // namespace

const std::vector<GpuCapacity>& gpu_capacities() {
  // For K80 and MI250X: one die, as a rank uses it. Memories sold in GiB have 2^30 bytes per GiB.
  constexpr double gib = 1.073741824;
  static const std::vector<GpuCapacity> all = {
      capacity("K80", 4.37, 12 * gib), capacity("P100", 21.2, 16 * gib),    capacity("V100", 125, 32 * gib),
      capacity("A100", 312, 80 * gib), capacity("RTX3090", 71, 24 * gib),   capacity("H100", 989, 80 * gib),
      capacity("H200", 989, 141),      capacity("GH200", 989, 144),         capacity("B200", 2250, 192),
      capacity("GB200", 2250, 192),    capacity("MI250X", 191.5, 64 * gib), capacity("MI300X", 1307, 192),
      capacity("MI325X", 1307, 256)};
  return all;
}

const GpuCapacity* find_gpu_capacity(std::string_view name) {
  const auto found = std::ranges::find(gpu_capacities(), name, &GpuCapacity::name);
  return found == gpu_capacities().end() ? nullptr : &*found;
}

} // namespace gradflight
