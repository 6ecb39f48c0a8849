// The largest magnitude of a tensor, and of residual + values: the first step of the scale-based codecs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gradflight::codec {

namespace scalar {
/// Returns the largest magnitude_key of the values, or of the sums if `residual` is not null; 0 without values.
std::uint32_t largest_key(const float* values, const float* residual, std::size_t count);
/// sums[i] = accumulate(sums[i], values[i])
void accumulate_into(float* sums, const float* values, std::size_t count);
} // namespace scalar

namespace simd {
std::uint32_t largest_key(const float* values, const float* residual, std::size_t count);
void accumulate_into(float* sums, const float* values, std::size_t count);
} // namespace simd

} // namespace gradflight::codec
