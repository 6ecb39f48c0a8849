#include "sim/engine/network/messaging.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

Messaging::Messaging(const ProtocolSpec& spec)
    : eager_limit_(spec.eager_limit.value()), window_(spec.window.value()),
      acknowledgement_weight_(spec.acknowledgement / spec.frame / spec.frames_per_acknowledgement) {}

double Messaging::behind(double wire) const { return std::clamp(std::min(wire, 2 * window_) - window_, 0.0, wire); }

bool Messaging::clear(MessagePool& messages, MessageId id, double now, bool together) {
  const Message& m = messages[id];
  Way& there = way(m.from_stream, m.to_stream);
  // The announcement comes right behind data that were still on their way when it was made.
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

} // namespace gradflight
