// IEEE binary16, rounded to nearest even (GradientFlow, Sun et al. 2019, Sec. 2.5). Integer arithmetic gives the same
// bits on machines with and without conversion instructions.
#pragma once

#include "models/codecs/parts/codec.hpp"

namespace gradflight::codec::fp16 {

namespace scalar {
std::uint16_t half_of(float value);
float float_of_half(std::uint16_t half);
void to_half(const float* values, std::size_t count, std::byte* out);
void from_half(const std::byte* bytes, std::size_t count, float* values);
} // namespace scalar

namespace simd {
void to_half(const float* values, std::size_t count, std::byte* out);
void from_half(const std::byte* bytes, std::size_t count, float* values);
} // namespace simd

std::unique_ptr<Codec> make(Implementation implementation);

} // namespace gradflight::codec::fp16
