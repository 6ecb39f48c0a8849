// The project's INCEPTIONN codec, bound 2^-10, variant `window`, one group at a time as in the NIC's engines; and
// values with given class shares. For the tests of the NIC models.
#pragma once

#include "models/codecs/catalogue.hpp"
#include "models/codecs/values/inceptionn.hpp"
#include "tests/oracles/burst.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace reference {

/// Error bound 2^-b.
inline constexpr int b = 10;
inline constexpr int zero_below = 127 - b, sixteen_from = zero_below + (b + 1) / 2;

inline const gradflight::codec::inceptionn::Classes& classes() {
  static const auto of_bound =
      gradflight::codec::inceptionn::classes(b, gradflight::codec::inceptionn::Variant::window);
  return of_bound;
}

inline std::size_t encode(std::span<const float> values, std::span<std::byte, gradflight::group_max_bytes> out) {
  return gradflight::codec::inceptionn::scalar::encode_burst(classes(), values.data(), values.size(), out.data());
}

inline void decode(std::span<const std::byte> group, std::span<float> values) {
  const auto status = gradflight::codec::inceptionn::scalar::decode(classes(), group, values);
  if (!status.problem.empty()) throw std::runtime_error(std::string(status.problem));
}

/// Encodes a whole tensor with the codec that scenarios use.
inline std::vector<std::byte> encode_all(std::span<const float> values) {
  std::vector<std::byte> bytes;
  gradflight::codec::make_codec(gradflight::codec::default_settings("inceptionn"))->encode(values, {}, bytes, 0);
  return bytes;
}

/// Shares of values with 2, 10, 18 and 34 bits: a row of Table III. They need not sum to 1.
struct ClassMix {
  const char* name;
  std::array<double, 4> shares;
};
inline constexpr ClassMix alexnet{"AlexNet 2^-10", {74.9, 3.9, 21.1, 0.1}}, hdc{"HDC 2^-10", {92.0, 6.5, 1.5, 0.0}},
    resnet50{"ResNet-50 2^-10", {81.6, 17.9, 0.5, 0.0}}, vgg16{"VGG-16 2^-10", {94.2, 0.9, 4.9, 0.0}},
    resnet50_loose{"ResNet-50 2^-6", {97.6, 2.4, 0.0, 0.0}};
/// Difficult cases that are not in the paper. `balanced` loads a 10 Gbps wire and a 256-bit engine at 100 MHz equally.
inline constexpr ClassMix balanced{"balanced at 10 Gbps", {38, 0, 62, 0}}, half{"18 bits each", {0, 0, 1, 0}},
    none{"no compression", {0, 0, 0, 1}};

/// Returns `count` values; each class is drawn with its share. The values are the same in every run and on every
/// machine.
inline std::vector<float> draw(const ClassMix& mix, std::size_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  // Smallest exponent of each class, and the number of its exponents.
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
