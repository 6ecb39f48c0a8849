// bfloat16, the upper half of a float32, rounded to nearest even. Two bytes a value, low one first.
#pragma once

#include "models/codecs/parts/codec.hpp"

namespace gradflight::codec::bf16 {

/// A NaN becomes the quiet one, 0x7fc0; what is beyond the largest bfloat16 becomes infinite.
std::uint16_t bf16_of(float value);
float float_of_bf16(std::uint16_t half);

std::unique_ptr<Codec> make();

} // namespace gradflight::codec::bf16
