// INCEPTIONN's lossy float codec (Li et al., MICRO 2018, Sec. V and VI-A). Each value becomes 0, 8, 16 or 32 bits,
// depending on its exponent. A burst of eight values has a 16-bit word of 2-bit tags, followed by the payloads,
// byte-packed.
#pragma once

#include "models/codecs/parts/codec.hpp"
#include "models/codecs/parts/settings.hpp"

#include <array>

namespace gradflight::codec::inceptionn {

constexpr std::size_t burst_values = 8;
constexpr std::size_t largest_burst = 34; ///< bytes: the tag word and eight raw values

/// Exponent thresholds for a bound 2^-b, 1 <= b <= 14, and the position of the lowest bit of the 8-bit class.
struct Classes {
  std::uint32_t zero_below;    ///< values with a smaller key become zero: 2^-b
  std::uint32_t sixteen_from;  ///< values from this key on take 16 bits
  unsigned eight_bit_fraction; ///< magnitude = floor(|v| 2^this)
};
Classes classes(int bound_bits, Variant variant);

/// Number of values in each class: zero, 8, 16 and 32 bits (with the tag, Table III's columns 2, 10, 18 and 34 bits).
using ClassCounts = std::array<std::uint64_t, 4>;
ClassCounts count_classes(const Classes& classes, std::span<const float> values);

namespace scalar {
/// Encodes one burst of 1 to 8 values; returns the bytes written, at most largest_burst.
std::size_t encode_burst(const Classes& classes, const float* values, std::size_t count, std::byte* out);
DecodeStatus decode(const Classes& classes, std::span<const std::byte> bytes, std::span<float> values);
} // namespace scalar

namespace simd {
constexpr std::size_t chunk_values = 512;
/// Space that encode_chunk needs: the largest chunk, and the width of a vector that it may write past its end.
constexpr std::size_t chunk_room = chunk_values / burst_values * largest_burst + 16;
/// Encodes up to chunk_values values in bursts (the last burst may be partial); returns the bytes written.
std::size_t encode_chunk(const Classes& classes, const float* values, std::size_t count, std::byte* out);
DecodeStatus decode(const Classes& classes, std::span<const std::byte> bytes, std::span<float> values);
} // namespace simd

std::unique_ptr<Codec> make(int bound_bits, Variant variant, Implementation implementation);

} // namespace gradflight::codec::inceptionn
