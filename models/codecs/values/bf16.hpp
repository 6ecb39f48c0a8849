// bfloat16: the upper half of a float32, rounded to nearest even. Two bytes per value, low byte first.
#pragma once

#include "models/codecs/parts/codec.hpp"

namespace gradflight::codec::bf16 {

/// A NaN becomes the quiet NaN 0x7fc0. Values beyond the largest bfloat16 become infinite.
std::uint16_t bf16_of(float value);
float float_of_bf16(std::uint16_t half);

std::unique_ptr<Codec> make();

} // namespace gradflight::codec::bf16
