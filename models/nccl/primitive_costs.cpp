#include "models/nccl/primitive_costs.hpp"

#include <algorithm>
#include <array>

namespace gradflight::nccl {

namespace {

/// GHz of the multiprocessors (boost): V100, A100, H100, B200. Bytes that a thread loads before it stores them: the
/// unrolling of NCCL's copies (src/include/device.h) times 16 B.
constexpr std::array<double, 4> sm_clock = {1.53, 1.41, 1.98, 1.965},
                                bytes_in_flight = {4 * 16, 8 * 16, 8 * 16, 8 * 16};

/// Microseconds, in the order of Primitive: on a GH200, and on a GeForce RTX 3090 with its boost clock in GHz.
constexpr ByPrimitive fixed_over_nvlink_us = {0.85, 1.63, 0.92, 2.07}, fixed_over_pcie_us = {0.98, 2.97, 1.73, 4.35};
constexpr double rtx_3090_clock = 1.695;

std::size_t row(Generation generation) {
  return static_cast<std::size_t>(std::max(0, static_cast<int>(generation) - 1)); // Volta, Ampere, Hopper, Blackwell
}

} // namespace

double channel_beside_hopper(Generation generation) {
  const auto rate = [&](Generation each) { return sm_clock[row(each)] * bytes_in_flight[row(each)]; };
  return rate(generation) / rate(Generation::hopper);
}

ByPrimitive primitive_us(Generation generation, bool over_nvlink) {
  const double clock = sm_clock[row(generation)];
  ByPrimitive times = over_nvlink ? fixed_over_nvlink_us : fixed_over_pcie_us;
  for (double& time : times) time *= (over_nvlink ? sm_clock[row(Generation::hopper)] : rtx_3090_clock) / clock;
  return times;
}

ByPrimitive primitive_rates(Generation generation) {
  ByPrimitive rates = copied_on_hopper;
  for (double& rate : rates) rate *= channel_beside_hopper(generation);
  return rates;
}

} // namespace gradflight::nccl
