// Drops the k least significant bits (INCEPTIONN, Sec. III-A; Pipe-SGD's 16-bit truncation is k = 16). Codes of 32 - k
// bits are packed from the lowest bit up; zero bits fill the last byte.
#pragma once

#include "models/codecs/parts/codec.hpp"

namespace gradflight::codec::truncate {

/// Returns the bytes of `count` codes of `width` bits.
constexpr std::size_t packed_size(std::size_t count, unsigned width) { return (count * width + 7) / 8; }

// width in 1..32. `out` and `bytes` hold packed_size(count, width) bytes.
namespace scalar {
void pack(const float* values, std::size_t count, unsigned width, std::byte* out);
void unpack(const std::byte* bytes, std::size_t count, unsigned width, float* values);
} // namespace scalar

namespace simd {
void pack(const float* values, std::size_t count, unsigned width, std::byte* out);
void unpack(const std::byte* bytes, std::size_t count, unsigned width, float* values);
} // namespace simd

std::unique_ptr<Codec> make(int lsb_bits, Implementation implementation);

} // namespace gradflight::codec::truncate
