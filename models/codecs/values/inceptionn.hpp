// INCEPTIONN's lossy float codec (Li et al., MICRO 2018, Sec. V and VI-A). Each value becomes 0, 8, 16 or 32 bits by
// its exponent; bursts of eight values carry a 16-bit word of 2-bit tags and then the payloads, byte-packed.
#pragma once

#include "models/codecs/parts/codec.hpp"
#include "models/codecs/parts/settings.hpp"

#include <array>

namespace gradflight::codec::inceptionn {

constexpr std::size_t burst_values = 8;
constexpr std::size_t largest_burst = 34; ///< bytes: the tag word and eight raw values

/// Exponent thresholds of a bound 2^-b, 1 <= b <= 14, and the position of the 8-bit class's lowest bit.
struct Classes {
  std::uint32_t zero_below;    ///< key under which a value is dropped: 2^-b
  std::uint32_t sixteen_from;  ///< key from which a value takes 16 bits
  unsigned eight_bit_fraction; ///< magnitude = floor(|v| 2^this)
};
Classes classes(int bound_bits, Variant variant);

/// Values in each class: dropped, 8, 16 and 32 bits (Table III's columns 2, 10, 18 and 34 bits with the tag).
using ClassCounts = std::array<std::uint64_t, 4>;
ClassCounts count_classes(const Classes& classes, std::span<const float> values);

/// Bytes of an encoded tensor of that many values.
std::size_t encoded_size(const ClassCounts& counts);

namespace scalar {
/// Encodes one burst of 1 to 8 values; returns the bytes written, at most largest_burst.
std::size_t encode_burst(const Classes& classes, const float* values, std::size_t count, std::byte* out);
DecodeStatus decode(const Classes& classes, std::span<const std::byte> bytes, std::span<float> values);
} // namespace scalar

namespace simd {
constexpr std::size_t chunk_values = 512;
/// Room that encode_chunk needs: the largest chunk, and a vector's width that it may write past its end.
constexpr std::size_t chunk_room = chunk_values / burst_values * largest_burst + 16;
/// Encodes up to chunk_values values in whole bursts (a last one may be partial); returns the bytes.
std::size_t encode_chunk(const Classes& classes, const float* values, std::size_t count, std::byte* out);
DecodeStatus decode(const Classes& classes, std::span<const std::byte> bytes, std::span<float> values);
} // namespace simd

std::unique_ptr<Codec> make(int bound_bits, Variant variant, Implementation implementation);

} // namespace gradflight::codec::inceptionn
