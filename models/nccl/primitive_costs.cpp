#include "models/nccl/primitive_costs.hpp"

#include <algorithm>
#include <array>

namespace gradflight::nccl {

namespace {

/// GHz of the multiprocessors (boost): V100, A100, H100, B200. Bytes that a thread loads before it stores them: the
/// unrolling of NCCL's copies (src/include/device.h) times 16 B.
constexpr std::array<double, 4> sm_clock = {1.53, 1.41, 1.98, 1.965},
                                bytes_in_flight = {4 * 16, 8 * 16, 8 * 16, 8 * 16};

} // namespace

double channel_beside_hopper(Generation generation) {
  const auto row = [](Generation each) {
    return static_cast<std::size_t>(std::max(0, static_cast<int>(each) - 1)); // Volta, Ampere, Hopper, Blackwell
  };
  const auto rate = [&](Generation each) { return sm_clock[row(each)] * bytes_in_flight[row(each)]; };
  return rate(generation) / rate(Generation::hopper);
}

ByPrimitive primitive_rates(Generation generation) {
  ByPrimitive rates = copied_on_hopper;
  for (double& rate : rates) rate *= channel_beside_hopper(generation);
  return rates;
}

} // namespace gradflight::nccl
