#include "models/nic/stream_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace gradflight {

namespace {

/// Seconds that one packet occupies each stage.
struct PacketTimes {
  double sender_input = 0, sender_output = 0, receiver_input = 0, receiver_output = 0;
  double wire_bytes = 0, wire = 0;
  double last_burst = 0; ///< from its arrival at the MAC to its end on the wire

  [[nodiscard]] double sender() const { return std::max(sender_input, sender_output); }
  [[nodiscard]] double receiver() const { return std::max(receiver_input, receiver_output); }
};

PacketTimes packet_times(const NicSpec& sender, const NicSpec& receiver, double dense, double payload, bool compressed,
                         double wire) {
  const auto bursts = [](const NicSpec& nic, double bytes) { return std::ceil(bytes / nic.burst_bytes()); };
  // A compressed payload waits for two bursts, or for its only one, before its first group leaves (Sec. VI-A).
  const double filling = compressed ? std::min(2.0, bursts(receiver, payload)) : 0;
  const int header = (sender.header_bytes() + receiver.burst_bytes() - 1) / receiver.burst_bytes();
  PacketTimes times;
  times.sender_input = (sender.header_bursts() + bursts(sender, dense)) / sender.clock_hz;
  times.sender_output = (sender.header_bursts() + bursts(sender, payload)) / sender.clock_hz;
  times.receiver_input = (header + bursts(receiver, payload) + std::min(1.0, filling)) / receiver.clock_hz;
  times.receiver_output = (header + bursts(receiver, dense) + filling) / receiver.clock_hz;
  times.wire_bytes = sender.frame_bytes(payload);
  times.wire = times.wire_bytes / wire;
  // The last burst is rarely full, and the previous burst may still be on the wire. That one left the Alignment Unit
  // when the bytes of the last burst began to arrive.
  const double rest = payload - (bursts(sender, payload) - 1) * sender.burst_bytes();
  const double gathering = rest / payload * bursts(sender, dense) / sender.clock_hz;
  times.last_burst = std::max(rest / wire, (std::min(payload, rest + sender.burst_bytes())) / wire - gathering);
  return times;
}

/// A message of n-1 full packets and a last one, and the longest path of a packet through stages and earlier packets.
struct Pipeline {
  NicSpec sender, receiver;
  std::int64_t n = 0;
  PacketTimes full, last;

  [[nodiscard]] const PacketTimes& packet(std::int64_t k) const { return k == n ? last : full; }

  /// Number of whole packets that packet k's engine processed before it.
  [[nodiscard]] double packets_before(std::int64_t k) const {
    const std::int64_t turns = (k - 1) / sender.engines;
    return static_cast<double>(turns);
  }

  /// Times at which packet k's first and last burst arrive at the MAC.
  [[nodiscard]] double first_burst(std::int64_t k) const {
    if (sender.transmit_whole_packets) return last_burst(k);
    return packets_before(k) * full.sender() + (sender.compress_cycles + 2) / sender.clock_hz;
  }
  [[nodiscard]] double last_burst(std::int64_t k) const {
    return packets_before(k) * full.sender() + packet(k).sender() + (sender.compress_cycles + 1) / sender.clock_hz;
  }

  /// Returns the end of packet k on the wire. After the last packet that the wire waited for, packets follow without
  /// gaps. The times of full packets grow evenly. So that packet is the first one, the first one of the engines' last
  /// turn, or k itself.
  [[nodiscard]] double wire_end(std::int64_t k) const {
    if (k < 1) return 0;
    const PacketTimes& own = packet(k);
    double end = std::max(first_burst(k) + own.wire, last_burst(k) + own.last_burst);
    if (k == n) return std::max(end, wire_end(n - 1) + own.wire);
    for (const std::int64_t from : {std::int64_t{1}, (k - 1) / sender.engines * sender.engines + 1}) {
      const double started = std::max(first_burst(from) + full.wire, last_burst(from) + full.last_burst);
      end = std::max(end, started + static_cast<double>(k - from) * full.wire);
    }
    return end;
  }

  /// Time at which a receiving engine can start packet k: at a clock edge, on average half a cycle later.
  [[nodiscard]] double complete(std::int64_t k) const { return wire_end(k) + 0.5 / receiver.clock_hz; }

  /// Returns the end of full packet k in its receiving engine.
  [[nodiscard]] double received(std::int64_t k) const {
    if (k < 1) return 0;
    const std::int64_t turns = (k - 1) / receiver.engines; // packets of this engine before packet k
    return std::max(complete(k - turns * receiver.engines) + static_cast<double>(turns) * full.receiver(),
                    complete(k)) +
           full.receiver();
  }

  [[nodiscard]] double time() const {
    if (n == 0) return 0;
    double end = std::max(received(n - receiver.engines), complete(n)) + last.receiver();
    for (std::int64_t k = std::max<std::int64_t>(1, n - receiver.engines + 1); k < n; ++k)
      end = std::max(end, received(k));
    return end + receiver.decompress_cycles / receiver.clock_hz;
  }

  /// Returns the seconds that the busiest of `engines` works on the message.
  [[nodiscard]] double busiest(int engines, double full_time, double last_time) const {
    if (n == 0) return 0;
    const std::int64_t rounds = (n + engines - 1) / engines;
    const auto turns = static_cast<double>(rounds);
    return (n - 1) % engines == 0 ? (turns - 1) * full_time + last_time : turns * full_time;
  }
};

Pipeline pipeline_of(const NicSpec& sender, const NicSpec& receiver, const NicStream& stream, ByteRate wire) {
  check(sender);
  check(receiver);
  if (!(wire.value() > 0)) throw std::invalid_argument("wire: expected a rate above 0");
  if (stream.dense_bytes < 0 || stream.dense_bytes % element_bytes != 0)
    throw std::invalid_argument("dense_bytes: expected a multiple of 4, the bytes of a float32");
  const Packets packets = packets_of(sender, stream.dense_bytes);
  const auto tags = static_cast<double>(group_tag_bytes * groups_in(stream.dense_bytes));
  if (stream.compressed && stream.dense_bytes > 0 && !(stream.encoded_bytes >= tags))
    throw std::invalid_argument("encoded_bytes: expected at least a tag word for 8 values");
  // Each packet is encoded separately, so its last group has a tag word even if the group is not full.
  const auto times = [&](std::int64_t dense) {
    const auto bytes = static_cast<double>(dense);
    const double payload = stream.compressed
                               ? static_cast<double>(group_tag_bytes * groups_in(dense)) +
                                     (stream.encoded_bytes - tags) * bytes / static_cast<double>(stream.dense_bytes)
                               : bytes;
    return packet_times(sender, receiver, bytes, payload, stream.compressed, wire.value());
  };
  Pipeline pipeline{sender, receiver, packets.count, {}, {}};
  if (packets.count == 0) return pipeline;
  pipeline.last = times(packets.last);
  pipeline.full = packets.count > 1 ? times(packets.full) : pipeline.last;
  return pipeline;
}

} // namespace

ByteRate StreamCost::stage_rate() const {
  double rate = std::numeric_limits<double>::infinity();
  for (const StageUse& stage : stages)
    if (stage.weight > 0) rate = std::min(rate, stage.capacity.value() / stage.weight);
  return ByteRate(rate);
}

Seconds StreamCost::alone(ByteRate wire) const { return fill + wire_bytes / std::min(wire, stage_rate()) + tail; }

NicStream nic_stream(std::int64_t dense_bytes, double encoded_bytes, bool compressed) {
  const auto tags = static_cast<double>(group_tag_bytes * groups_in(dense_bytes));
  return {dense_bytes, std::max(encoded_bytes, tags), compressed};
}

StreamCost nic_stream_cost(const NicSpec& sender, const NicSpec& receiver, const NicStream& stream, ByteRate wire) {
  const Pipeline pipeline = pipeline_of(sender, receiver, stream, wire);
  StreamCost cost;
  if (pipeline.n == 0) return cost;
  const PacketTimes &full = pipeline.full, &last = pipeline.last;
  cost.wire_bytes = Bytes(static_cast<double>(pipeline.n - 1) * full.wire_bytes + last.wire_bytes);
  const auto use = [&](NicStage stage, const NicSpec& nic, double PacketTimes::*time) {
    const double busy = pipeline.busiest(nic.engines, full.*time, last.*time);
    cost.stages[static_cast<std::size_t>(stage)] = {busy * nic.dense_capacity().value() / cost.wire_bytes.value(),
                                                    nic.dense_capacity()};
  };
  use(NicStage::sender_input, sender, &PacketTimes::sender_input);
  use(NicStage::sender_output, sender, &PacketTimes::sender_output);
  use(NicStage::receiver_input, receiver, &PacketTimes::receiver_input);
  use(NicStage::receiver_output, receiver, &PacketTimes::receiver_output);

  const double flow = (cost.wire_bytes / std::min(wire, cost.stage_rate())).value();
  const double time = pipeline.time(), rest = std::max(0.0, time - flow);
  cost.fill = Seconds(std::min(pipeline.first_burst(1), rest));
  cost.tail = Seconds(rest) - cost.fill;
  if (cost.stage_rate() < wire) {
    const ByteRate unlimited(std::numeric_limits<double>::infinity());
    cost.on_wire = Seconds(time) - nic_stream_time(sender, receiver, stream, unlimited);
  }
  return cost;
}

Seconds nic_stream_time(const NicSpec& sender, const NicSpec& receiver, const NicStream& stream, ByteRate wire) {
  return Seconds(pipeline_of(sender, receiver, stream, wire).time());
}

} // namespace gradflight
