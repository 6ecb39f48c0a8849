// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011): four 32-bit words
// from a 128-bit counter and a 64-bit key. It uses integer arithmetic only, so all machines give the same numbers. An
// element's number does not depend on earlier draws.
#pragma once

#include <array>
#include <cstdint>

namespace gradflight::codec {

struct Philox {
  static constexpr std::uint32_t multiplier0 = 0xD2511F53u, multiplier1 = 0xCD9E8D57u;
  static constexpr std::uint32_t weyl0 = 0x9E3779B9u, weyl1 = 0xBB67AE85u;
  static constexpr int rounds = 10;

  using Words = std::array<std::uint32_t, 4>;

  static constexpr Words draw(Words counter, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < rounds; ++round, key0 += weyl0, key1 += weyl1) {
      const std::uint64_t product0 = std::uint64_t{multiplier0} * counter[0];
      const std::uint64_t product1 = std::uint64_t{multiplier1} * counter[2];
      counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(product1),
                 static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(product0)};
    }
    return counter;
  }
};

} // namespace gradflight::codec
