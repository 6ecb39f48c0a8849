// The speeds of channels that NCCL's search tries. Facts: NCCL 2.30.7 (Apache-2.0), src/graph/search.cc.
#pragma once

#include "models/nccl/machine.hpp"

#include <array>
#include <span>

namespace gradflight::nccl {

inline constexpr std::array<double, 13> speeds_inside = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
inline constexpr std::array<double, 19> speeds_between = {48, 30, 28, 24, 20, 18,  15,  12,   10,  9,
                                                          7,  6,  5,  4,  3,  2.4, 1.2, 0.24, 0.12};
inline constexpr std::array<double, 11> speeds_inside_hopper = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
inline constexpr std::array<double, 17> speeds_between_hopper = {48, 45, 42, 40, 30,  24,  22,   20,  17.5,
                                                                 15, 12, 6,  3,  2.4, 1.2, 0.24, 0.12};
inline constexpr std::array<double, 12> speeds_inside_blackwell = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
inline constexpr std::array<double, 20> speeds_between_blackwell = {96, 86,   80, 48, 45.1, 42, 40,  30,  24,   22,
                                                                    20, 17.5, 15, 12, 6,    3,  2.4, 1.2, 0.24, 0.12};

/// GB/s per channel to try, high to low.
inline std::span<const double> speeds_of(Generation generation, bool several_nodes) {
  if (generation == Generation::blackwell)
    return several_nodes ? std::span<const double>(speeds_between_blackwell) : speeds_inside_blackwell;
  if (generation == Generation::hopper)
    return several_nodes ? std::span<const double>(speeds_between_hopper) : speeds_inside_hopper;
  return several_nodes ? std::span<const double>(speeds_between) : speeds_inside;
}

} // namespace gradflight::nccl
