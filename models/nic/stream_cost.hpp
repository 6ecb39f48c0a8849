// The cost of a compressed message for a flow-level network solver, and the closed form of a message alone.
//
// A stream passes the sender's engine (input, output), the wire, and the receiver's engine (input, output) as a
// pipeline of packets. The slowest stage sets its rate. The receiver's engine starts a packet when it is complete
// (INCEPTIONN Sec. VI-A). So a message is a delay (fill), a flow of `wire_bytes`, and another delay (tail). The flow
// uses the stages as extra weighted links of its route (weighted_max_min.hpp).
#pragma once

#include "models/nic/nic_spec.hpp"

#include <array>
#include <cstdint>

namespace gradflight {

enum class NicStage { sender_input, sender_output, receiver_input, receiver_output };
inline constexpr std::size_t nic_stages = 4;

/// Each wire byte of the flow takes `weight` bytes of bus time of a unit with a bus of `capacity` bytes per second. All
/// streams of the NIC in that direction share the unit. weight 0: not used.
struct StageUse {
  double weight = 0;
  ByteRate capacity;
};

struct StreamCost {
  Bytes wire_bytes; ///< the flow's volume: headers, payloads, framing; weight 1 on every link of the route
  Seconds fill;     ///< delay before the first byte is on the wire
  Seconds tail;     ///< delay from the end of the flow until the receiver has the last value
  Seconds on_wire;  ///< of alone(wire): what an unlimited wire would save, if a stage is slower than the wire; else 0
  std::array<StageUse, nic_stages> stages{};

  [[nodiscard]] const StageUse& operator[](NicStage stage) const { return stages[static_cast<std::size_t>(stage)]; }
  /// Returns the wire rate that the stages allow for a stream alone; infinity without stages.
  [[nodiscard]] ByteRate stage_rate() const;
  /// Returns the time of a stream alone on engines and wire: fill + wire_bytes / min(wire, stage_rate) + tail.
  [[nodiscard]] Seconds alone(ByteRate wire) const;
};

/// A message of `dense_bytes` that the codec reduces to `encoded_bytes` in total (docs/codecs.md, inceptionn: tag words
/// are 2 bytes for 8 values). If `compressed` is false, its ToS does not match and encoded_bytes has no effect.
struct NicStream {
  std::int64_t dense_bytes = 0;
  double encoded_bytes = 0;
  bool compressed = true;
};

/// Returns the stream of a message with `encoded_bytes` from a ratio or a codec. The result has at least the bytes of
/// its tag words, which a mean ratio ignores for blocks of a few values.
NicStream nic_stream(std::int64_t dense_bytes, double encoded_bytes, bool compressed);

/// Returns the stream's cost between two NICs; the sender defines the packets. `wire` is the bottleneck rate of the
/// route. Fill and tail contain times of packets at this rate, for a stream alone. Under contention their error is at
/// most the time of a packet. All packets are assumed to compress equally. Split a message if its ratio changes from
/// wire-bound to engine-bound on the way. Throws std::invalid_argument for a bad spec, rate or size.
StreamCost nic_stream_cost(const NicSpec& sender, const NicSpec& receiver, const NicStream& stream, ByteRate wire);

/// The closed form of a stream alone. Let a, w and r be the times of a full packet in sender, wire and receiver. The
/// message has n packets; the last one is shorter. Each stage begins with the packets that the stage before has passed
/// on. The result is the longest path through n packets and three stages. For one engine and n equal packets it is
///  fill + max(n a + e + r, n w + r, max(w, a + e) + n r) + drain
/// where fill is the pipeline up to the MAC, e the wire time of the last burst, and drain the decompressor's pipeline.
/// Equal to nic_stream_cost(...).alone(wire).
Seconds nic_stream_time(const NicSpec& sender, const NicSpec& receiver, const NicStream& stream, ByteRate wire);

} // namespace gradflight
