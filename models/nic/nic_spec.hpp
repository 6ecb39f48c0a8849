// An in-NIC compressor as in INCEPTIONN (Li et al., MICRO 2018), Sec. VI-A and VII-C, and how it processes a message.
//
// The paper gives these numbers: 256-bit AXI bursts, eight compression blocks (each for one 4-byte value), 100 MHz, ToS
// 0x28. It gives no latencies, buffer sizes or header sizes. Those defaults are assumptions, marked as assumed below.
#pragma once

#include "models/units/units.hpp"

#include <cstdint>

namespace gradflight {

/// A NIC with one or more engines in each direction. Packets go to the engines in turn, and onto the wire in order.
struct NicSpec {
  int width_bits = 256;      ///< AXI burst; a multiple of 256 up to 1024 (8 values and their tag word form one group)
  double clock_hz = 100e6;   ///< Sec. VII-C
  int engines = 1;           ///< number of compressors, and of decompressors
  int compress_cycles = 5;   ///< assumed: ToS match 1, compression block 1, three levels of the binary shifter tree
  int decompress_cycles = 3; ///< assumed: tag decoder 1, decompression block 1, concatenation 1
  int alignment_queue_bursts = 4;      ///< assumed: bursts that can wait in the Alignment Unit
  int transmit_fifo_bursts = 2048;     ///< assumed (64 KiB): the MAC's virtual FIFO, per engine
  bool transmit_whole_packets = false; ///< true: the MAC waits for a packet's last burst; false: cut-through
  int mtu = 1500;                      ///< bytes of an IP packet before compression
  int ethernet_bytes = 14;             ///< header in front of the IP packet
  int ip_tcp_bytes = 40;               ///< headers inside the IP packet, without options
  int framing_bytes = 24;              ///< on the wire only: preamble 8, frame check sequence 4, gap 12
  int min_frame_bytes = 60;            ///< shorter frames are padded on the wire

  [[nodiscard]] int burst_bytes() const { return width_bits / 8; }
  [[nodiscard]] int header_bytes() const { return ethernet_bytes + ip_tcp_bytes; }
  /// Headers have their own bursts: a payload starts at the beginning of a burst.
  [[nodiscard]] int header_bursts() const { return (header_bytes() + burst_bytes() - 1) / burst_bytes(); }
  /// Dense bytes of a full packet; contains whole values only.
  [[nodiscard]] int payload_bytes() const { return (mtu - ip_tcp_bytes) / element_bytes * element_bytes; }
  /// Dense bytes per second that all engines together accept, without headers and gaps.
  [[nodiscard]] ByteRate dense_capacity() const { return ByteRate(engines * burst_bytes() * clock_hz); }
  [[nodiscard]] Seconds cycle() const { return Seconds(1 / clock_hz); }
  /// Returns the bytes of wire time of a packet with `payload` bytes of payload (Ethernet: padding, preamble, check,
  /// gap).
  [[nodiscard]] double frame_bytes(double payload) const;
};

/// Throws std::invalid_argument with the name of the field if the NIC cannot be built or could deadlock.
void check(const NicSpec& spec);

/// Size of a group in INCEPTIONN's format: number of values, bytes of the tag word, and largest bytes (docs/codecs.md,
/// inceptionn).
inline constexpr int group_values = 8;
inline constexpr int group_tag_bytes = 2;
inline constexpr int group_max_bytes = group_tag_bytes + group_values * element_bytes;
inline constexpr int max_burst_bytes = 128;

/// The offset of the ToS byte in an Ethernet frame. The byte is in the first burst (Sec. VI-B).
inline constexpr int tos_offset = 15;

/// How a message is split into packets: `count` - 1 full ones and a last one.
struct Packets {
  std::int64_t count = 0;
  std::int64_t full = 0, last = 0; ///< dense payload bytes of a full packet and of the last (1 .. full; 0: no packet)
};
Packets packets_of(const NicSpec& spec, std::int64_t dense_bytes);

/// Returns the number of groups of 8 values in a payload of `bytes` dense bytes.
constexpr std::int64_t groups_in(std::int64_t bytes) {
  constexpr auto group = static_cast<std::int64_t>(group_values) * static_cast<std::int64_t>(element_bytes);
  return (bytes + group - 1) / group;
}

} // namespace gradflight
