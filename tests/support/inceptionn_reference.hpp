// INCEPTIONN's codec, variant `window`, one group at a time and as plain as codecs.md, 1 puts it; and values of given
// class shares. For the tests of the NIC models.
#pragma once

#include "models/nic/burst.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace reference {

/// Error bound 2^-b.
inline constexpr int b = 10;
inline constexpr int zero_below = 127 - b, sixteen_from = zero_below + (b + 1) / 2;
inline constexpr int eight_bit_scale = b / 2 + 7;

inline std::size_t encode(std::span<const float> values, std::span<std::byte, gradflight::group_max_bytes> out) {
  unsigned tags = 0;
  std::size_t size = gradflight::group_tag_bytes;
  const auto put = [&](std::uint32_t bits, int bytes) {
    for (int i = 0; i < bytes; ++i) out[size++] = static_cast<std::byte>((bits >> (8 * i)) & 0xffU);
  };
  for (std::size_t lane = 0; lane < values.size(); ++lane) {
    const auto bits = std::bit_cast<std::uint32_t>(values[lane]);
    const int exponent = static_cast<int>((bits >> 23U) & 0xffU);
    const std::uint32_t sign = bits >> 31U;
    const auto magnitude = [&](int scale) {
      return static_cast<std::uint32_t>(std::ldexp(std::fabs(values[lane]), scale));
    };
    unsigned tag = 0;
    if (exponent >= 127) {
      tag = 3;
      put(bits, 4);
    } else if (exponent >= sixteen_from) {
      tag = 2;
      put(sign << 15U | magnitude(15), 2);
    } else if (exponent >= zero_below) {
      tag = 1;
      put(sign << 7U | magnitude(eight_bit_scale), 1);
    }
    tags |= tag << (2 * lane);
  }
  out[0] = static_cast<std::byte>(tags & 0xffU);
  out[1] = static_cast<std::byte>(tags >> 8U);
  return size;
}

inline void decode(std::span<const std::byte> group, std::span<float> values) {
  const unsigned tags = gradflight::tag_word(group[0], group[1]);
  std::size_t at = gradflight::group_tag_bytes;
  const auto take = [&](int bytes) {
    std::uint32_t bits = 0;
    for (int i = 0; i < bytes; ++i) bits |= std::to_integer<std::uint32_t>(group[at++]) << (8 * i);
    return bits;
  };
  const auto scaled = [](std::uint32_t bits, int sign_bit, int scale) {
    const auto magnitude = static_cast<float>(bits & ((1U << sign_bit) - 1));
    return std::ldexp((bits >> sign_bit) != 0 ? -magnitude : magnitude, -scale);
  };
  for (std::size_t lane = 0; lane < values.size(); ++lane) {
    switch ((tags >> (2 * lane)) & 3U) {
    case 0: values[lane] = 0; break;
    case 1: values[lane] = scaled(take(1), 7, eight_bit_scale); break;
    case 2: values[lane] = scaled(take(2), 15, 15); break;
    default: values[lane] = std::bit_cast<float>(take(4));
    }
  }
}

/// A whole tensor by itself.
inline std::vector<std::byte> encode_all(std::span<const float> values) {
  std::vector<std::byte> bytes;
  std::array<std::byte, gradflight::group_max_bytes> group{};
  for (std::size_t i = 0; i < values.size(); i += gradflight::group_values) {
    const std::size_t size = encode(values.subspan(i, std::min<std::size_t>(8, values.size() - i)), group);
    bytes.insert(bytes.end(), group.begin(), group.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return bytes;
}

/// Shares of values of 2, 10, 18 and 34 bits: a row of Table III. They need not sum to 1.
struct ClassMix {
  const char* name;
  std::array<double, 4> shares;
};
inline constexpr ClassMix alexnet{"AlexNet 2^-10", {74.9, 3.9, 21.1, 0.1}}, hdc{"HDC 2^-10", {92.0, 6.5, 1.5, 0.0}},
    resnet50{"ResNet-50 2^-10", {81.6, 17.9, 0.5, 0.0}}, vgg16{"VGG-16 2^-10", {94.2, 0.9, 4.9, 0.0}},
    resnet50_loose{"ResNet-50 2^-6", {97.6, 2.4, 0.0, 0.0}};
/// Not the paper's: hard cases. `balanced` loads a 10 Gbps wire and a 256-bit engine at 100 MHz alike.
inline constexpr ClassMix balanced{"balanced at 10 Gbps", {38, 0, 62, 0}}, half{"18 bits each", {0, 0, 1, 0}},
    none{"no compression", {0, 0, 0, 1}};

/// `count` values, each class drawn at its share, the same in every run and on every machine.
inline std::vector<float> draw(const ClassMix& mix, std::size_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  // Smallest exponent of each class and how many it spans.
  constexpr std::array<std::array<int, 2>, 4> exponents = {
      {{zero_below - 8, 8}, {zero_below, sixteen_from - zero_below}, {sixteen_from, 127 - sixteen_from}, {127, 3}}};
  const double total = mix.shares[0] + mix.shares[1] + mix.shares[2] + mix.shares[3];
  std::vector<float> values(count);
  for (float& value : values) {
    double at = uniform() * total;
    std::size_t c = 0;
    while (c < 3 && at >= mix.shares[c]) at -= mix.shares[c++];
    const auto mantissa = static_cast<std::uint32_t>(random() >> 40U);
    const int exponent = exponents[c][0] + static_cast<int>(uniform() * exponents[c][1]);
    value = std::bit_cast<float>(static_cast<std::uint32_t>(exponent) << 23U | (mantissa & 0x7fffffU) |
                                 (mantissa & 0x800000U) << 8U);
  }
  return values;
}

} // namespace reference
