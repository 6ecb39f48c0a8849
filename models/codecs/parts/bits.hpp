// Bits of float32 values and little-endian fields, shared by the codecs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace gradflight::codec {

static_assert(std::endian::native == std::endian::little, "wire fields are copied as they lie in memory");
static_assert(std::numeric_limits<float>::is_iec559);

constexpr std::uint32_t infinity_key = 0x7f800000u;
constexpr std::uint32_t quiet_nan_bits = 0x7fc00000u;
constexpr std::uint32_t sign_bit = 0x80000000u;

constexpr std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// The unsigned order of keys is the order of magnitudes: 0 < denormal < normal < infinity < NaN.
constexpr std::uint32_t magnitude_key(float value) { return bits_of(value) & ~sign_bit; }

/// Returns residual + value. Every NaN becomes the same one, because the payload of a NaN after an addition depends on
/// the machine.
constexpr float accumulate(float residual, float value) {
  const float sum = residual + value;
  return sum == sum ? sum : float_of(quiet_nan_bits);
}

template <class T> T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T> void store(std::byte* to, T value) { std::memcpy(to, &value, sizeof value); }

} // namespace gradflight::codec
