#include "tests/oracles/decompressor_engine.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

namespace gradflight {

DecompressorEngine::DecompressorEngine(const NicSpec& spec, std::span<const PacketRecord> packets, GroupDecoder decode)
    : spec_(spec), packets_(packets), decode_(std::move(decode)) {}

double DecompressorEngine::next_packet() const {
  return waiting_.empty() ? std::numeric_limits<double>::infinity() : waiting_.front().complete;
}

CycleActivity DecompressorEngine::cycle(std::int64_t now) {
  output_.values = 0;
  if (!busy_) {
    if (waiting_.empty() || waiting_.front().complete > static_cast<double>(now)) return {};
    start();
  }
  if (read_ < bursts_.size() && (bursts_[read_].header || !compressed_)) {
    pass_burst();
    return {true, false};
  }
  // The groups in the buffer at the beginning of the cycle leave; the next burst is added after them.
  const bool primed = read_ == bursts_.size() || buffered_ >= static_cast<std::size_t>(2 * spec_.burst_bytes());
  const bool running = values_left_ < packets_[bursts_.front().packet].values;
  const bool decoded = (primed || running) && decode_groups();
  const bool refilled = refill();
  if (!decoded && !refilled) throw std::logic_error("decompressor: a packet ends inside a group");
  return {true, running && !decoded};
}

void DecompressorEngine::start() {
  packets_peak_ = std::max(packets_peak_, waiting_.size());
  bursts_ = std::move(waiting_.front().bursts);
  waiting_.pop_front();
  busy_ = true;
  compressed_ = tos_matches(bursts_.front());
  read_ = 0;
  buffered_ = kept_tags_ = 0;
  values_left_ = packets_[bursts_.front().packet].values;
}

void DecompressorEngine::pass_burst() {
  const Burst& burst = bursts_[read_++];
  ++bursts_in_;
  ++bursts_out_;
  if (burst.header) return;
  std::memcpy(output_.data.data(), burst.data.data(), burst.valid);
  leave(burst.valid / element_bytes);
}

bool DecompressorEngine::decode_groups() {
  struct Group {
    std::size_t begin = 0, size = 0;
  };
  std::array<Group, max_groups_per_burst> groups{};
  const int wanted = std::min<int>(spec_.width_bits / 256, (values_left_ + group_values - 1) / group_values);
  std::size_t end = 0;
  for (int g = 0; g < wanted; ++g) {
    const bool tags_there = end + group_tag_bytes <= buffered_;
    const std::size_t size = tags_there ? group_bytes(tag_word(buffer_[end], buffer_[end + 1])) : 0;
    if (!tags_there || end + size > buffered_) {
      kept_tags_ = static_cast<std::size_t>(g) + (tags_there ? 1 : 0);
      return false;
    }
    groups[static_cast<std::size_t>(g)] = {end, size};
    end += size;
  }
  std::int32_t decoded = 0;
  for (int g = 0; g < wanted; ++g) {
    const Group& group = groups[static_cast<std::size_t>(g)];
    const std::int32_t lanes = std::min(group_values, values_left_ - decoded);
    decode_(std::span<const std::byte>(buffer_).subspan(group.begin, group.size),
            std::span(output_.data).subspan(static_cast<std::size_t>(decoded), static_cast<std::size_t>(lanes)));
    decoded += lanes;
  }
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(end),
            buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_), buffer_.begin());
  buffered_ -= end;
  kept_tags_ = 0;
  ++bursts_out_;
  leave(decoded);
  return true;
}

bool DecompressorEngine::refill() {
  const auto width = static_cast<std::size_t>(spec_.burst_bytes());
  if (!busy_ || read_ == bursts_.size() || buffered_ - kept_tags_ * group_tag_bytes > width) return false;
  const Burst& burst = bursts_[read_++];
  ++bursts_in_;
  std::copy_n(burst.data.begin(), burst.valid, buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_));
  buffered_ += burst.valid;
  return true;
}

void DecompressorEngine::leave(std::int32_t values) {
  const PacketRecord& packet = packets_[bursts_.front().packet];
  output_.stream = packet.stream;
  output_.begin = packet.begin + packet.values - values_left_;
  output_.values = values;
  values_left_ -= values;
  if (values_left_ == 0) busy_ = false;
}

} // namespace gradflight
