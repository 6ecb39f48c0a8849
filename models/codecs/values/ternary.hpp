// Stochastic three-value quantisation (3LC's comparison, Sec. 4.2; TernGrad without clipping). Wire format: the scale,
// then base-3^5 bytes. A value is sent as its sign times the scale with probability |value| / scale, so its mean is
// correct. The codec uses no zero runs and no residual.
//
// Random numbers: element i of message j under a seed takes u = (w >> 8) 2^-24. w is word i mod 4 of Philox4x32-10 with
// key (low, high half of the seed) and counter (low, high half of i div 4, low, high half of j).
#pragma once

#include "models/codecs/parts/codec.hpp"

namespace gradflight::codec::ternary {

struct Draws {
  std::uint64_t seed = 0, message = 0;
};

// digit = 1 + sign(value) if u scale < |value| (exactly), else 1, for elements from `first` on; first % 4 == 0.
namespace scalar {
void quantise(const float* values, std::size_t first, std::size_t count, float scale, Draws draws,
              std::uint8_t* digits);
} // namespace scalar

namespace simd {
void quantise(const float* values, std::size_t first, std::size_t count, float scale, Draws draws,
              std::uint8_t* digits);
} // namespace simd

std::unique_ptr<Codec> make(std::uint64_t seed, Implementation implementation);

} // namespace gradflight::codec::ternary
