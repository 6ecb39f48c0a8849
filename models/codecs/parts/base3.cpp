#include "models/codecs/parts/base3.hpp"

#include <cstring>

namespace gradflight::codec::base3::simd {

void pack(const std::uint8_t* digits, std::size_t groups, std::uint8_t* bytes) {
  // Byte 4 of the product is the code. The bytes below it contain at most 80 each, so no carry reaches byte 4.
  constexpr std::uint64_t weights = 81ull << 32 | 27ull << 24 | 9ull << 16 | 3ull << 8 | 1ull;
  for (std::size_t i = 0; i < groups; ++i, digits += group) {
    std::uint64_t word;
    std::memcpy(&word, digits, sizeof word);
    bytes[i] = static_cast<std::uint8_t>(word * weights >> 32);
  }
}

} // namespace gradflight::codec::base3::simd
