// Messages from one NIC to another, cycle by cycle: packet DMA, compression engines, transmit FIFO, wire, receive FIFO,
// decompression engines (INCEPTIONN Sec. VI-A, Fig. 8). Tests compare stream_cost.hpp with this reference.
#pragma once

#include "models/units/units.hpp"
#include "tests/oracles/burst.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace gradflight {

/// A message: float32 values, and the ToS byte of its packets. Values must outlive the run.
struct NicMessage {
  std::span<const float> values;
  std::uint8_t tos = compressible_tos;
};

/// The senders of messages: one NIC, connected to the receiver; or a NIC for each message, connected through a
/// store-and-forward switch to the single wire of the receiver (a gather).
enum class Senders { one, one_each };

/// Cycles of a unit; it is idle for the rest of the run. Sums over several engines.
struct UnitUse {
  std::int64_t busy = 0;    ///< cycles in which a burst passed
  std::int64_t stalled = 0; ///< cycles in which a burst was delayed
};

/// Packets of one NIC alternate between messages. Times count from the cycle in which the first burst enters an engine,
/// until the last values have left.
struct NicReport {
  std::int64_t cycles = 0;
  Seconds time;
  std::vector<Seconds> stream_times; ///< for each message
  std::int64_t packets = 0;
  /// Payloads that grew: their frames exceed the MTU (the paper does not describe this case).
  std::int64_t oversized_packets = 0;
  std::int64_t dense_bytes = 0;   ///< of all messages
  std::int64_t payload_bytes = 0; ///< after compression, as in docs/codecs.md (inceptionn), for each packet separately
  double wire_bytes = 0;          ///< including headers, padding and framing
  /// Sums over all compressors or all decompressors.
  UnitUse compressor_input, compressor_output, decompressor_input, decompressor_output;
  double wire_busy_cycles = 0; ///< of all senders' wires
  double underrun_cycles = 0;  ///< the MAC waited for the rest of a packet that it was already sending
  std::size_t transmit_fifo_peak = 0, receive_packets_peak = 0;
};

/// Observers for tests, and for requested streams; each may be empty.
struct NicObserver {
  /// A compressed payload burst on the wire side: its packet and its valid bytes.
  std::function<void(std::uint32_t packet, std::span<const std::byte> bytes)> payload_burst;
  /// Values from a decompressor: stream, first index, values.
  std::function<void(std::int32_t stream, std::int64_t begin, std::span<const float> values)> values;
};

/// Runs until every value has arrived. `wire` > 0 is the line rate; all NICs have the specification `spec`. Throws
/// std::invalid_argument for a spec that check() rejects.
NicReport simulate_nic_path(const NicSpec& spec, ByteRate wire, std::span<const NicMessage> messages,
                            const GroupEncoder& encode, const GroupDecoder& decode, const NicObserver& observer = {},
                            Senders senders = Senders::one);

/// Returns the packets of messages of one NIC: the k-th packet of each message that has one, then the k+1-th.
std::vector<PacketRecord> interleaved_packets(const NicSpec& spec, std::span<const NicMessage> messages);

} // namespace gradflight
