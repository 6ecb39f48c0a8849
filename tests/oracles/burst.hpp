// The data in the engines: bursts of packets, and INCEPTIONN's groups of eight values (docs/codecs.md, inceptionn).
#pragma once

#include "models/nic/nic_spec.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace gradflight {

inline constexpr int max_groups_per_burst = 4;
/// The ToS byte of a compressible packet (Sec. VI-B).
inline constexpr std::uint8_t compressible_tos = 0x28;

/// Encodes 1 to 8 values as tag word and payload; returns the bytes written, 2 to 34.
using GroupEncoder =
    std::function<std::size_t(std::span<const float> values, std::span<std::byte, group_max_bytes> out)>;
/// Decodes one group, tag word and payload, into 1 to 8 values.
using GroupDecoder = std::function<void(std::span<const std::byte> group, std::span<float> values)>;

/// Computes the result of the Tag Decoder: the bytes of a group with this tag word, 2 to 34. Tags 0, 1, 2, 3 mean 0, 8,
/// 16 and 32 bits; lane i is in bits 2i+1:2i.
constexpr std::size_t group_bytes(std::uint16_t tags) {
  constexpr std::array<std::size_t, 4> bytes = {0, 1, 2, 4};
  std::size_t total = group_tag_bytes;
  for (int lane = 0; lane < group_values; ++lane) total += bytes[(tags >> (2 * lane)) & 3U];
  return total;
}

/// Returns the little-endian tag word at the start of a group.
constexpr std::uint16_t tag_word(std::byte low, std::byte high) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(low) | (std::to_integer<unsigned>(high) << 8U));
}

/// One AXI transfer: `valid` bytes of a packet (TKEEP), the rest zero. `last` is TLAST.
struct Burst {
  std::array<std::byte, max_burst_bytes> data{};
  std::uint32_t packet = 0;
  std::uint16_t valid = 0;
  bool first = false, header = false, last = false;
};

/// Whether a packet's first burst requests compression.
inline bool tos_matches(const Burst& first) {
  return first.data[tos_offset] == static_cast<std::byte>(compressible_tos);
}

/// Values `begin` to `begin + values` of a stream. The number of values in a packet is known from outside, as in
/// docs/codecs.md ("Conventions"). The paper does not say how the decompressor knows the number of valid lanes in the
/// last group.
struct PacketRecord {
  std::int64_t begin = 0;
  std::int32_t values = 0, stream = 0;
};

} // namespace gradflight
