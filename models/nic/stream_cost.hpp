// What a compressed message costs a flow-level network solver, and the closed form of one alone.
//
// A stream passes sender engine (input, output), wire and receiver engine (input, output) side by side, packet by
// packet; the slowest sets its rate. The receiver's engine takes a packet up once it is complete (INCEPTIONN Sec.
// VI-A). So a message is a delay (fill), a flow of `wire_bytes` that uses the stages as extra weighted links of its
// route (weighted_max_min.hpp), and another delay (tail). Compression in software is a message without stages whose
// fill and tail are the codec's own time: it compresses a block before it sends it.
#pragma once

#include "models/nic/nic_spec.hpp"

#include <array>
#include <cstdint>

namespace gradflight {

enum class NicStage { sender_input, sender_output, receiver_input, receiver_output };
inline constexpr std::size_t nic_stages = 4;

/// Each wire byte of the flow takes `weight` bytes of bus time of a unit that has `capacity` of them a second and that
/// all streams of the NIC in that direction share. weight 0: not used.
struct StageUse {
  double weight = 0;
  ByteRate capacity;
};

struct StreamCost {
  Bytes wire_bytes; ///< the flow's volume: headers, payloads, framing; weight 1 on every link of the route
  Seconds fill;     ///< before the first byte is on the wire
  Seconds tail;     ///< after the flow has ended, until the receiver has the last value
  std::array<StageUse, nic_stages> stages{};

  [[nodiscard]] const StageUse& operator[](NicStage stage) const { return stages[static_cast<std::size_t>(stage)]; }
  /// The wire rate that the stages allow a stream alone; infinity without stages.
  [[nodiscard]] ByteRate stage_rate() const;
  /// Alone on engines and on a wire of this rate: fill + wire_bytes / min(wire, stage_rate) + tail.
  [[nodiscard]] Seconds alone(ByteRate wire) const;
};

/// A message of `dense_bytes` that the codec makes `encoded_bytes` of, all at once (docs/codecs.md, inceptionn: tag
/// words are 2 bytes for 8 values). `compressed` false: its ToS does not match, and encoded_bytes is not read.
struct NicStream {
  std::int64_t dense_bytes = 0;
  double encoded_bytes = 0;
  bool compressed = true;
};

/// The stream of a message that a ratio or a codec makes `encoded_bytes` of: never below its tag words, which a mean
/// ratio does not know of in a block of a few values.
NicStream nic_stream(std::int64_t dense_bytes, double encoded_bytes, bool compressed);

/// The stream's cost between two NICs; packets are the sender's. `wire` is the route's bottleneck: fill and tail
/// contain packets' times on it and are those of a stream alone; under contention they are off by a packet's time at
/// most. Packets are taken to compress alike: a message whose ratio changes on the way from wire-bound to engine-bound
/// is better given as several. Throws std::invalid_argument for a bad spec, rate or size.
StreamCost nic_stream_cost(const NicSpec& sender, const NicSpec& receiver, const NicStream& stream, ByteRate wire);

/// The closed form of a stream alone. With a, w, r the times of a full packet in sender, wire and receiver and n
/// packets, the last of them shorter, each stage begins with what the stage before has passed on and the result is the
/// longest way through n packets and three stages. One engine and n equal packets:
///   fill + max(n a + e + r, n w + r, max(w, a + e) + n r) + drain
/// where fill is the pipeline up to the MAC, e the last burst's wire time, drain the decompressor's pipeline.
/// Equal to nic_stream_cost(...).alone(wire).
Seconds nic_stream_time(const NicSpec& sender, const NicSpec& receiver, const NicStream& stream, ByteRate wire);

/// Dense bytes a second of a codec on a CPU or GPU, measured or given; infinity is free.
struct CodecRate {
  ByteRate encode, decode;
};
/// Store and forward of the whole block: fill and tail are the time that sender and receiver compute. Throws
/// std::invalid_argument for a rate that is not positive and a negative size.
StreamCost software_stream_cost(const CodecRate& rate, Bytes dense, Bytes encoded);

} // namespace gradflight
