// Base-3^5: five three-valued digits in a byte, 81a + 27b + 9c + 3d + e of five consecutive values (3LC, Lim et al.
// 2019, Sec. 3.2, in the order of its "stride-5" variant). Digits are q + 1 for q in -1, 0, 1. A partial last group is
// padded with digit 1 (zero).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gradflight::codec::base3 {

constexpr std::size_t group = 5;
constexpr unsigned codes = 243;
constexpr std::uint8_t zero_digit = 1;
constexpr std::uint8_t zeros = 121; ///< five zero digits

constexpr std::size_t groups_of(std::size_t values) { return (values + group - 1) / group; }

/// For every byte, its five digits: one byte each, from the lowest byte up.
constexpr std::array<std::uint64_t, codes> make_digits() {
  std::array<std::uint64_t, codes> table{};
  for (unsigned code = 0; code < codes; ++code) {
    unsigned rest = code;
    for (unsigned i = group; i-- > 0; rest /= 3) table[code] |= static_cast<std::uint64_t>(rest % 3) << (8 * i);
  }
  return table;
}
inline constexpr std::array<std::uint64_t, codes> digits_of = make_digits();

/// Converts digits (one byte each, whole groups) to bytes.
namespace scalar {
inline void pack(const std::uint8_t* digits, std::size_t groups, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < groups; ++i, digits += group)
    bytes[i] = static_cast<std::uint8_t>(81 * digits[0] + 27 * digits[1] + 9 * digits[2] + 3 * digits[3] + digits[4]);
}
} // namespace scalar

/// The same with one multiplication per group; reads up to three bytes past the last digit.
namespace simd {
void pack(const std::uint8_t* digits, std::size_t groups, std::uint8_t* bytes);
} // namespace simd

constexpr std::size_t pack_overread = 3;

} // namespace gradflight::codec::base3
