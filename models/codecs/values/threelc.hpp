// 3LC (Lim, Andersen, Kaminsky 2019, Sec. 3): three-value quantisation with sparsity multiplication and error
// accumulation, base-3^5 and zero-run encoding. Wire format: the scale M, then zero-run bytes.
#pragma once

#include "models/codecs/parts/codec.hpp"

namespace gradflight::codec::threelc {

// T = residual + value (only the value if `residual` is null); digit = 1 + sign(T) if 2|T| > scale, else 1; residual =
// T - scale (digit - 1).
namespace scalar {
void quantise(const float* values, float* residual, std::size_t count, float scale, std::uint8_t* digits);
void restore(const std::uint8_t* digits, std::size_t count, float scale, float* values);
} // namespace scalar

namespace simd {
void quantise(const float* values, float* residual, std::size_t count, float scale, std::uint8_t* digits);
void restore(const std::uint8_t* digits, std::size_t count, float scale, float* values);
} // namespace simd

/// 1 <= sparsity_multiplier < 2.
std::unique_ptr<Codec> make(double sparsity_multiplier, Implementation implementation);

} // namespace gradflight::codec::threelc
