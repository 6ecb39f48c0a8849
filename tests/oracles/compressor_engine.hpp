// INCEPTIONN's Compression Engine (Sec. VI-A, Fig. 9), cycle by cycle: ToS match, compression blocks and shifter tree
// as a pipeline, and the Alignment Unit. At most one burst enters and one leaves per cycle.
#pragma once

#include "tests/oracles/burst.hpp"

#include <deque>
#include <span>
#include <vector>

namespace gradflight {

/// Source of the bursts of packets `first`, `first + stride`, ...: the data that the packet DMA reads from the host.
class PacketSource {
public:
  PacketSource(const NicSpec& spec, std::span<const PacketRecord> packets,
               std::span<const std::span<const float>> streams, std::span<const std::uint8_t> tos, std::size_t first,
               std::size_t stride);

  [[nodiscard]] bool empty() const { return packet_ >= packets_.size(); }
  /// Returns the next burst; the source must not be empty.
  Burst next();

private:
  NicSpec spec_;
  std::span<const PacketRecord> packets_;
  std::span<const std::span<const float>> streams_;
  std::span<const std::uint8_t> tos_;
  std::size_t packet_, stride_;
  int sent_header_ = 0;
  std::int64_t sent_payload_ = 0;
};

/// The activity of an engine in a cycle: whether any data moved, and whether a burst was delayed although it could have
/// moved.
struct CycleActivity {
  bool moved = false, stalled = false;
};

class CompressorEngine {
public:
  CompressorEngine(const NicSpec& spec, PacketSource source, GroupEncoder encode);

  /// Executes one clock cycle. `stalled`: the transmit FIFO or the Alignment Unit's queue is full.
  CycleActivity cycle();

  /// Returns the bursts for the MAC, in order.
  [[nodiscard]] const std::deque<Burst>& transmit_fifo() const { return fifo_; }
  [[nodiscard]] bool whole_packet_waits() const { return packets_waiting_ > 0; }
  /// Removes and returns the first burst of the FIFO, which must not be empty.
  Burst take();

  [[nodiscard]] std::int64_t bursts_in() const { return bursts_in_; }
  [[nodiscard]] std::int64_t bursts_out() const { return bursts_out_; }
  [[nodiscard]] std::size_t fifo_peak() const { return fifo_peak_; }

private:
  /// A burst that bypasses the compression blocks, or the bit vector of one burst's groups.
  struct Item {
    Burst burst;
    std::array<std::byte, max_groups_per_burst * group_max_bytes> vector{};
    std::size_t size = 0;
    bool occupied = false, compressed = false;
  };

  bool emit();
  bool align(Item& item);
  void enter(Item& slot);
  void queue_burst(std::span<const std::byte> bytes, std::uint32_t packet, bool last);

  NicSpec spec_;
  PacketSource source_;
  GroupEncoder encode_;
  std::vector<Item> pipeline_; // ring buffer: the slot at `head_` leaves, and a new burst replaces it
  std::size_t head_ = 0, in_pipeline_ = 0;
  bool compressing_ = false; // whether the entering packet is compressed
  std::array<std::byte, 2 * max_groups_per_burst * group_max_bytes> accumulator_{};
  std::size_t accumulated_ = 0;
  std::deque<Burst> queue_, fifo_;
  std::int64_t bursts_in_ = 0, bursts_out_ = 0, packets_waiting_ = 0;
  std::size_t fifo_peak_ = 0;
};

} // namespace gradflight
