// 8-bit scalar quantisation by the largest magnitude (Pipe-SGD, Li et al. 2018, Sec. 3.2; 3LC's "8-bit int"). Wire
// format: the scale, then one signed byte per value in -127..127.
#pragma once

#include "models/codecs/parts/codec.hpp"

namespace gradflight::codec::quantize8 {

namespace scalar {
/// Computes codes = rint(value 127 / largest) of the exact quotient; largest must be > 0 and finite.
void quantise(const float* values, std::size_t count, float largest, std::int8_t* codes);
/// Computes value = code largest / 127. Returns false for a code of -128, which no encoder writes.
bool restore(const std::int8_t* codes, std::size_t count, float largest, float* values);
} // namespace scalar

namespace simd {
void quantise(const float* values, std::size_t count, float largest, std::int8_t* codes);
bool restore(const std::int8_t* codes, std::size_t count, float largest, float* values);
} // namespace simd

std::unique_ptr<Codec> make(Implementation implementation);

} // namespace gradflight::codec::quantize8
