#include "tests/oracles/ethernet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gradflight {

Mac::Mac(const NicSpec& spec, double bytes_per_cycle, NicReport& report, const NicObserver& observer,
         std::function<void(ReceivedPacket)> deliver)
    : spec_(spec), rate_(bytes_per_cycle), report_(report), observer_(observer), deliver_(std::move(deliver)) {}

bool Mac::cycle(std::int64_t now, std::span<CompressorEngine> engines) {
  bool moved = false;
  while (busy_until_ < static_cast<double>(now + 1) && may_send(engines[packet_ % engines.size()])) {
    send(now, engines[packet_ % engines.size()].take());
    moved = true;
  }
  return moved;
}

double Mac::next_cycle() const { return std::floor(busy_until_); }

bool Mac::may_send(const CompressorEngine& engine) const {
  if (engine.transmit_fifo().empty()) return false;
  return !spec_.transmit_whole_packets || !sending_.bursts.empty() || engine.whole_packet_waits();
}

void Mac::send(std::int64_t now, const Burst& burst) {
  const double start = std::max(busy_until_, static_cast<double>(now));
  if (!burst.first) report_.underrun_cycles += start - busy_until_;
  if (!burst.header) {
    payload_ += burst.valid;
    if (observer_.payload_burst) observer_.payload_burst(burst.packet, std::span(burst.data).first(burst.valid));
  }
  double bytes = burst.valid + (burst.first ? spec_.framing_bytes : 0);
  frame_ += bytes;
  if (burst.last) bytes += spec_.frame_bytes(static_cast<double>(payload_)) - frame_;
  busy_until_ = start + bytes / rate_;
  report_.wire_busy_cycles += bytes / rate_;
  sending_.bursts.push_back(burst);
  if (!burst.last) return;
  sending_.wire_bytes = spec_.frame_bytes(static_cast<double>(payload_));
  sending_.complete = busy_until_;
  report_.wire_bytes += sending_.wire_bytes;
  report_.payload_bytes += payload_;
  report_.oversized_packets += payload_ > spec_.payload_bytes() ? 1 : 0;
  deliver_(std::exchange(sending_, {}));
  payload_ = 0;
  frame_ = 0;
  ++packet_;
}

namespace {

/// Order for a heap with the earliest packet on top; packet numbers decide ties.
bool later(const ReceivedPacket& a, const ReceivedPacket& b) {
  if (a.complete != b.complete) return a.complete > b.complete;
  return a.bursts.front().packet > b.bursts.front().packet;
}

} // namespace

SwitchPort::SwitchPort(double bytes_per_cycle, std::function<void(ReceivedPacket)> deliver)
    : rate_(bytes_per_cycle), deliver_(std::move(deliver)) {}

void SwitchPort::arrive(ReceivedPacket packet) {
  waiting_.push_back(std::move(packet));
  std::push_heap(waiting_.begin(), waiting_.end(), later);
}

bool SwitchPort::cycle(std::int64_t now) {
  bool moved = false;
  while (next_cycle() <= static_cast<double>(now)) {
    std::pop_heap(waiting_.begin(), waiting_.end(), later);
    ReceivedPacket packet = std::move(waiting_.back());
    waiting_.pop_back();
    busy_until_ = std::max(busy_until_, packet.complete) + packet.wire_bytes / rate_;
    packet.complete = busy_until_;
    deliver_(std::move(packet));
    moved = true;
  }
  return moved;
}

double SwitchPort::next_cycle() const {
  if (waiting_.empty()) return std::numeric_limits<double>::infinity();
  return std::floor(std::max(busy_until_, waiting_.front().complete));
}

} // namespace gradflight
