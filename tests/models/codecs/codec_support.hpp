// Tensors for the codec tests: several kinds of random ones, including the special values of float32.
#pragma once

#include "models/codecs/catalogue.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace gradflight::codec::test {

enum class Kind { normal, spread, bits, special, specials_finite, ties, zeros, sparse };
inline constexpr Kind all_kinds[] = {Kind::normal,          Kind::spread, Kind::bits,  Kind::special,
                                     Kind::specials_finite, Kind::ties,   Kind::zeros, Kind::sparse};

inline float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

inline const std::vector<float>& special_values() {
  static const std::vector<float> values = {0.0f,
                                            -0.0f,
                                            from_bits(1),
                                            from_bits(0x80000001u),
                                            from_bits(0x007fffffu),
                                            0x1p-126f,
                                            -0x1p-126f,
                                            1.0f,
                                            -1.0f,
                                            from_bits(0x3f7fffffu), // below 1
                                            0x1p-10f,
                                            from_bits(0x3a7fffffu), // below 2^-10
                                            0x1p-5f,
                                            from_bits(0x3cffffffu), // below 2^-5
                                            0.5f,
                                            65504.0f,
                                            65519.99f,
                                            65520.0f,
                                            0x1p-14f,
                                            0x1p-24f,
                                            0x1p-25f,
                                            0x1.8p-25f,
                                            std::numeric_limits<float>::max(),
                                            -std::numeric_limits<float>::max()};
  return values;
}

inline float draw(Kind kind, std::mt19937& generator) {
  std::normal_distribution<float> normal(0.0f, 1.0f);
  const auto pick = [&](const std::vector<float>& from) { return from[generator() % from.size()]; };
  switch (kind) {
  case Kind::normal: return normal(generator) * 0x1p-6f;
  case Kind::spread: return std::ldexp(normal(generator), -static_cast<int>(generator() % 20));
  case Kind::bits: return from_bits(static_cast<std::uint32_t>(generator()));
  case Kind::special: {
    static const std::vector<float> wild = {std::numeric_limits<float>::infinity(),
                                            -std::numeric_limits<float>::infinity(), from_bits(0x7fc00000u),
                                            from_bits(0x7f800001u), from_bits(0xffffffffu)};
    return generator() % 4 == 0 ? pick(wild) : pick(special_values());
  }
  case Kind::specials_finite: return pick(special_values());
  case Kind::ties: return pick({0.5f, -0.5f, 0.25f, 1.5f, 127.0f, 63.5f, 2.5f, -2.5f});
  case Kind::zeros: return 0.0f;
  case Kind::sparse: return generator() % 50 == 0 ? normal(generator) : 0.0f;
  }
  return 0.0f;
}

inline std::vector<float> tensor(Kind kind, std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float& value : values) value = draw(kind, generator);
  return values;
}

inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> words;
  for (const float value : values) words.push_back(std::bit_cast<std::uint32_t>(value));
  return words;
}

/// Returns every codec with its initial settings, and with some others.
inline std::vector<Settings> many_settings() {
  std::vector<Settings> all;
  const auto add = [&](const char* name, std::vector<std::pair<std::string, std::string>> parameters) {
    all.push_back(default_settings(name));
    for (const auto& [key, value] : parameters) set(all.back(), key, value);
  };
  for (const CodecInfo& info : catalogue()) add(std::string(info.name).c_str(), {});
  for (int b = 1; b <= 14; ++b)
    for (const char* variant : {"window", "literal", "promote"})
      add("inceptionn", {{"error_bound_log2", std::to_string(-b)}, {"variant", variant}});
  for (int k = 0; k < 32; ++k) add("truncate", {{"lsb_bits", std::to_string(k)}});
  for (const char* s : {"1.5", "1.75", "1.9"}) add("threelc", {{"sparsity_multiplier", s}});
  for (const char* seed : {"1", "18446744073709551615"}) add("ternary", {{"seed", seed}});
  for (const char* density : {"0.001", "0.3", "1"}) {
    add("topk", {{"density", density}});
    add("bitmap_sparse", {{"density", density}});
  }
  return all;
}

inline std::string describe(const Settings& s) {
  return s.name + " bound 2^" + std::to_string(s.error_bound_log2) + " variant " +
         std::to_string(static_cast<int>(s.variant)) + " lsb " + std::to_string(s.lsb_bits) + " s " +
         std::to_string(s.sparsity_multiplier) + " seed " + std::to_string(s.seed) + " density " +
         std::to_string(s.density);
}

} // namespace gradflight::codec::test
