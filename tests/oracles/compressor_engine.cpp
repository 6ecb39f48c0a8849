#include "tests/oracles/compressor_engine.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gradflight {

PacketSource::PacketSource(const NicSpec& spec, std::span<const PacketRecord> packets,
                           std::span<const std::span<const float>> streams, std::span<const std::uint8_t> tos,
                           std::size_t first, std::size_t stride)
    : spec_(spec), packets_(packets), streams_(streams), tos_(tos), packet_(first), stride_(stride) {}

Burst PacketSource::next() {
  const PacketRecord& packet = packets_[packet_];
  const auto stream = static_cast<std::size_t>(packet.stream);
  Burst burst;
  burst.packet = static_cast<std::uint32_t>(packet_);
  if (sent_header_ < spec_.header_bytes()) {
    burst.first = sent_header_ == 0;
    burst.header = true;
    burst.valid = static_cast<std::uint16_t>(std::min(spec_.burst_bytes(), spec_.header_bytes() - sent_header_));
    if (burst.first) burst.data[tos_offset] = static_cast<std::byte>(tos_[stream]);
    sent_header_ += burst.valid;
    return burst;
  }
  const std::int64_t bytes = static_cast<std::int64_t>(packet.values) * element_bytes;
  burst.valid = static_cast<std::uint16_t>(std::min<std::int64_t>(spec_.burst_bytes(), bytes - sent_payload_));
  std::memcpy(burst.data.data(), streams_[stream].data() + packet.begin + sent_payload_ / element_bytes, burst.valid);
  sent_payload_ += burst.valid;
  if (sent_payload_ == bytes) {
    burst.last = true;
    packet_ += stride_;
    sent_header_ = 0;
    sent_payload_ = 0;
  }
  return burst;
}

CompressorEngine::CompressorEngine(const NicSpec& spec, PacketSource source, GroupEncoder encode)
    : spec_(spec), source_(std::move(source)), encode_(std::move(encode)),
      pipeline_(static_cast<std::size_t>(spec.compress_cycles)) {}

CycleActivity CompressorEngine::cycle() {
  // Evaluates the stages from the output to the input, so that the content of a register moves one place per cycle.
  const bool emitted = emit();
  Item& leaving = pipeline_[head_];
  if (leaving.occupied && !align(leaving)) return {emitted, true};
  const bool waiting = in_pipeline_ > 0;
  if (leaving.occupied) {
    leaving.occupied = false;
    --in_pipeline_;
  }
  if (!source_.empty()) enter(leaving);
  head_ = (head_ + 1) % pipeline_.size();
  const bool moved = emitted || waiting || in_pipeline_ > 0;
  return {moved, !moved && !queue_.empty()};
}

Burst CompressorEngine::take() {
  Burst burst = fifo_.front();
  fifo_.pop_front();
  packets_waiting_ -= burst.last ? 1 : 0;
  return burst;
}

bool CompressorEngine::emit() {
  if (queue_.empty() || fifo_.size() >= static_cast<std::size_t>(spec_.transmit_fifo_bursts)) return false;
  packets_waiting_ += queue_.front().last ? 1 : 0;
  fifo_.push_back(queue_.front());
  queue_.pop_front();
  fifo_peak_ = std::max(fifo_peak_, fifo_.size());
  ++bursts_out_;
  return true;
}

void CompressorEngine::enter(Item& slot) {
  slot.burst = source_.next();
  slot.occupied = true;
  ++in_pipeline_;
  ++bursts_in_;
  if (slot.burst.first) compressing_ = tos_matches(slot.burst);
  slot.compressed = compressing_ && !slot.burst.header;
  if (!slot.compressed) return;
  std::array<float, max_burst_bytes / element_bytes> values{};
  std::memcpy(values.data(), slot.burst.data.data(), slot.burst.valid);
  const std::size_t count = slot.burst.valid / static_cast<std::size_t>(element_bytes);
  slot.size = 0;
  for (std::size_t begin = 0; begin < count; begin += group_values) {
    const std::size_t lanes = std::min<std::size_t>(group_values, count - begin);
    slot.size += encode_(std::span(values).subspan(begin, lanes),
                         std::span<std::byte, group_max_bytes>(slot.vector.data() + slot.size, group_max_bytes));
  }
}

bool CompressorEngine::align(Item& item) {
  const auto width = static_cast<std::size_t>(spec_.burst_bytes());
  const auto room = static_cast<std::size_t>(spec_.alignment_queue_bursts) - queue_.size();
  if (!item.compressed) {
    if (room < 1) return false;
    queue_.push_back(item.burst);
    return true;
  }
  const std::size_t total = accumulated_ + item.size;
  if (total / width + (item.burst.last && total % width > 0 ? 1 : 0) > room) return false;
  std::copy_n(item.vector.begin(), item.size, accumulator_.begin() + static_cast<std::ptrdiff_t>(accumulated_));
  std::size_t begin = 0;
  for (; total - begin >= width; begin += width)
    queue_burst(std::span(accumulator_).subspan(begin, width), item.burst.packet,
                item.burst.last && begin + width == total);
  if (item.burst.last && begin < total) {
    queue_burst(std::span(accumulator_).subspan(begin, total - begin), item.burst.packet, true);
    begin = total;
  }
  std::copy(accumulator_.begin() + static_cast<std::ptrdiff_t>(begin),
            accumulator_.begin() + static_cast<std::ptrdiff_t>(total), accumulator_.begin());
  accumulated_ = total - begin;
  return true;
}

void CompressorEngine::queue_burst(std::span<const std::byte> bytes, std::uint32_t packet, bool last) {
  Burst burst;
  std::copy(bytes.begin(), bytes.end(), burst.data.begin());
  burst.packet = packet;
  burst.valid = static_cast<std::uint16_t>(bytes.size());
  burst.last = last;
  queue_.push_back(burst);
}

} // namespace gradflight
