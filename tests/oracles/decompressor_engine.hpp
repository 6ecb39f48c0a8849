// INCEPTIONN's Decompression Engine (Sec. VI-A, Fig. 10), cycle by cycle. A packet enters when it is complete. One
// burst per cycle is read into a Burst Buffer of two. The Tag Decoder computes the sizes of the groups, and one burst
// of values leaves.
//
// The paper's text has two consequences. A compressed payload takes two cycles more than its values, because the first
// two bursts must arrive before the first group leaves. A buffer of 512 bits that reads only if fewer than 256 bits are
// left would deadlock with 264 bits left and a next group of 272. Here the Tag Decoder stores the tag words of
// incomplete groups, which frees the necessary space. This costs one cycle without output.
#pragma once

#include "tests/oracles/burst.hpp"
#include "tests/oracles/compressor_engine.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace gradflight {

/// A received packet: the cycle when its last byte arrived, and the bytes of wire time it took.
struct ReceivedPacket {
  double complete = 0, wire_bytes = 0;
  std::vector<Burst> bursts;
};

class DecompressorEngine {
public:
  DecompressorEngine(const NicSpec& spec, std::span<const PacketRecord> packets, GroupDecoder decode);

  void receive(ReceivedPacket packet) { waiting_.push_back(std::move(packet)); }

  /// Executes the cycle that begins at `now`. `stalled`: the next groups are not complete in the Burst Buffer.
  CycleActivity cycle(std::int64_t now);

  /// The values that left in this cycle: of stream `stream`, starting at `begin`. Empty without a decoded burst.
  struct Output {
    std::int32_t stream = 0;
    std::int64_t begin = 0;
    std::int32_t values = 0;
    std::array<float, max_burst_bytes / element_bytes> data{};
  };
  [[nodiscard]] const Output& output() const { return output_; }

  /// Returns when the first waiting packet is complete; infinity if none waits. Undefined inside a packet.
  [[nodiscard]] double next_packet() const;
  [[nodiscard]] bool empty() const { return waiting_.empty() && !busy_; }
  [[nodiscard]] std::int64_t bursts_in() const { return bursts_in_; }
  [[nodiscard]] std::int64_t bursts_out() const { return bursts_out_; }
  [[nodiscard]] std::size_t packets_peak() const { return packets_peak_; }

private:
  void start();
  void pass_burst();
  bool decode_groups();
  bool refill();
  void leave(std::int32_t values);

  NicSpec spec_;
  std::span<const PacketRecord> packets_;
  GroupDecoder decode_;
  std::deque<ReceivedPacket> waiting_;
  bool busy_ = false, compressed_ = false;
  std::vector<Burst> bursts_; // of the current packet
  std::size_t read_ = 0;
  std::array<std::byte, 2 * max_burst_bytes + max_groups_per_burst * group_tag_bytes> buffer_{};
  std::size_t buffered_ = 0, kept_tags_ = 0;
  std::int32_t values_left_ = 0;
  Output output_;
  std::int64_t bursts_in_ = 0, bursts_out_ = 0;
  std::size_t packets_peak_ = 0;
};

} // namespace gradflight
