// An in-NIC compressor as in INCEPTIONN (Li et al., MICRO 2018), Sec. VI-A and VII-C, and how it sees a message.
//
// Numbers the paper gives: 256-bit AXI bursts, eight compression blocks (one a 4-byte value), 100 MHz, ToS 0x28. It
// gives no latencies, no buffer sizes and no header sizes; those defaults are assumptions, marked so below.
#pragma once

#include "models/units/units.hpp"

#include <cstdint>

namespace gradflight {

/// A NIC with one or more engines in each direction. Packets go to engines in turn, and onto the wire in order.
struct NicSpec {
  int width_bits = 256;      ///< AXI burst; a multiple of 256 up to 1024 (8 values and their tag word are one group)
  double clock_hz = 100e6;   ///< Sec. VII-C
  int engines = 1;           ///< compressors, and as many decompressors
  int compress_cycles = 5;   ///< assumed: ToS match 1, compression block 1, three levels of the binary shifter tree
  int decompress_cycles = 3; ///< assumed: tag decoder 1, decompression block 1, concatenation 1
  int alignment_queue_bursts = 4;      ///< assumed: bursts that the Alignment Unit may have waiting
  int transmit_fifo_bursts = 2048;     ///< assumed (64 KiB): the MAC's virtual FIFO, per engine
  bool transmit_whole_packets = false; ///< the MAC waits for a packet's last burst; false: cut-through
  int mtu = 1500;                      ///< bytes of an IP packet before compression
  int ethernet_bytes = 14;             ///< header in front of the IP packet
  int ip_tcp_bytes = 40;               ///< headers inside the IP packet, without options
  int framing_bytes = 24;              ///< on the wire only: preamble 8, frame check sequence 4, gap 12
  int min_frame_bytes = 60;            ///< shorter frames are padded on the wire

  [[nodiscard]] int burst_bytes() const { return width_bits / 8; }
  [[nodiscard]] int groups_per_burst() const { return width_bits / 256; }
  [[nodiscard]] int header_bytes() const { return ethernet_bytes + ip_tcp_bytes; }
  /// Headers take bursts of their own: a payload starts on a burst.
  [[nodiscard]] int header_bursts() const { return (header_bytes() + burst_bytes() - 1) / burst_bytes(); }
  /// Dense bytes that a full packet carries: whole values.
  [[nodiscard]] int payload_bytes() const { return (mtu - ip_tcp_bytes) / element_bytes * element_bytes; }
  /// Dense bytes a second that all engines together take in, headers and gaps not counted.
  [[nodiscard]] ByteRate dense_capacity() const { return ByteRate(engines * burst_bytes() * clock_hz); }
  [[nodiscard]] Seconds cycle() const { return Seconds(1 / clock_hz); }
  /// Bytes of wire time of a packet whose payload is `payload` bytes (Ethernet: padding, preamble, check, gap).
  [[nodiscard]] double frame_bytes(double payload) const;
};

/// Throws std::invalid_argument, naming the field, unless the NIC can be built and cannot lock up.
void check(const NicSpec& spec);

/// Values in a group of INCEPTIONN's format, its tag word, and its largest size (docs/codecs.md, inceptionn).
inline constexpr int group_values = 8;
inline constexpr int group_tag_bytes = 2;
inline constexpr int group_max_bytes = group_tag_bytes + group_values * element_bytes;
inline constexpr int max_burst_bytes = 128;
inline constexpr int max_groups_per_burst = 4;

/// The ToS byte of a compressible packet (Sec. VI-B) and where it lies in an Ethernet frame: in the first burst.
inline constexpr std::uint8_t compressible_tos = 0x28;
inline constexpr int tos_offset = 15;

/// How a message falls into packets: `count` - 1 full ones and a last one.
struct Packets {
  std::int64_t count = 0;
  std::int64_t full = 0, last = 0; ///< dense payload bytes of a full packet and of the last (1 .. full; 0: no packet)
};
Packets packets_of(const NicSpec& spec, std::int64_t dense_bytes);

/// Groups of 8 values in a payload of `bytes` dense bytes.
constexpr std::int64_t groups_in(std::int64_t bytes) {
  constexpr auto group = static_cast<std::int64_t>(group_values) * static_cast<std::int64_t>(element_bytes);
  return (bytes + group - 1) / group;
}

} // namespace gradflight
