#include "sim/engine/network/messaging.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

Messaging::Messaging(const ProtocolSpec& spec)
    : eager_limit_(spec.eager_limit.value()), header_(spec.header.value()), window_(spec.window.value()),
      buffer_windows_(window_ > 0 ? std::max(1.0, spec.send_buffer / spec.window) : 1),
      frame_payload_(spec.frame_payload.value()), slow_start_(spec.slow_start.value()),
      acknowledgement_weight_(spec.acknowledgement / spec.frame / spec.frames_per_acknowledgement) {}

Messaging::Marks Messaging::marks(double wire, double bandwidth) const {
  if (wire <= window_) return {wire, 0};
  if (wire <= buffer_windows_ * window_) return {wire, wire - window_};
  constexpr double least_frames = 16; // HyStart leaves smaller windows alone
  const double limit =
      slow_start_ > 0 ? std::max({window_, least_frames * frame_payload_, slow_start_ * bandwidth}) : window_;
  const double there = (wire - buffer_windows_ * window_) / (1 + buffer_windows_);
  const double window = std::min(window_ + there, limit);
  return {buffer_windows_ * window, (buffer_windows_ - 1) * window};
}

bool Messaging::clear(MessagePool& messages, MessageId id, double now, bool together) {
  const Message& m = messages[id];
  Way& there = way(m.from_stream, m.to_stream);
  // If earlier data were still on their way when it was announced, the announcement comes right behind them.
  const double announced = m.posted < there.last_end ? there.last_end : m.posted + m.alpha;
  const double requested = std::max(announced, now);
  if (const MessageId opposite = way(m.to_stream, m.from_stream).data; opposite != no_message) {
    const bool cross =
        together && (requested < messages.extra(opposite).set_out || m.posted == messages[opposite].posted);
    if (!cross) {
      MessageId last = opposite;
      while (messages.extra(last).blocked != no_message) last = messages.extra(last).blocked;
      messages.extra(last).blocked = id;
      return false;
    }
  }
  messages.extra(id).set_out = requested + m.alpha;
  there.data = id;
  return true;
}

MessageId Messaging::ended(MessagePool& messages, MessageId id, double now) {
  const Message& m = messages[id];
  Way& there = way(m.from_stream, m.to_stream);
  there.last_end = now;
  if (there.data == id) there.data = no_message;
  return std::exchange(messages.extra(id).blocked, no_message);
}

void Messaging::resume(MessagePool& messages, MessageId id, double now) {
  const Message& m = messages[id];
  messages.extra(id).set_out = now;
  way(m.from_stream, m.to_stream).data = id;
}

bool Messaging::nothing_before(const Message& m) const {
  const auto there = ways_.find(key(m.from_stream, m.to_stream));
  return !lines_.contains(m.from_stream) && (there == ways_.end() || there->second.last == no_message);
}

void Messaging::queue_behind(const Message& m, MessageId id) { lines_[m.from_stream] = id; }

bool Messaging::in_turn(MessagePool& messages, MessageId id) {
  const Message& m = messages[id];
  MessageExtra& extra = messages.extra(id);
  Way& there = way(m.from_stream, m.to_stream);
  if (there.last != no_message) {
    messages.extra(there.last).next_on_way = id;
    ++extra.waits_for;
  }
  there.last = id;
  const auto line = lines_.find(m.from_stream);
  if (line != lines_.end() && line->second != id) {
    MessageId* end = &messages.extra(line->second).next_in_line;
    while (*end != no_message) end = &messages.extra(*end).beside_in_line;
    *end = id;
    ++extra.waits_for;
  }
  return extra.waits_for == 0;
}

void Messaging::leave_queue(MessagePool& messages, MessageId id, std::vector<MessageId>& next) {
  const auto line = lines_.find(messages[id].from_stream);
  if (line != lines_.end() && line->second == id) lines_.erase(line);
  for (MessageId m = std::exchange(messages.extra(id).next_in_line, no_message); m != no_message;) {
    MessageExtra& waiting = messages.extra(m);
    if (--waiting.waits_for == 0) next.push_back(m);
    m = std::exchange(waiting.beside_in_line, no_message);
  }
}

void Messaging::leave_links(MessagePool& messages, MessageId id, std::vector<MessageId>& next) {
  leave_queue(messages, id, next);
  Way& there = way(messages[id].from_stream, messages[id].to_stream);
  if (there.last == id) there.last = no_message;
  const MessageId after = std::exchange(messages.extra(id).next_on_way, no_message);
  if (after != no_message && --messages.extra(after).waits_for == 0) next.push_back(after);
}

void add_acknowledgements(const Platform& platform, const Route& there, const Route& back, double weight,
                          std::vector<LinkShare>& shares) {
  for (const std::int32_t l : back)
    if (static_cast<std::size_t>(l) < platform.network_links() &&
        std::find(there.begin(), there.end(), l) == there.end())
      shares.push_back({l, weight});
}

} // namespace gradflight
