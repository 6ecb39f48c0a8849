// What a protocol adds to an exchange's steps: clearance, acknowledgements, senders that go on early.
#include "sim/engine/transport.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

/// The network's links back that acknowledgements load, but those that data and acknowledgements have in common.
void Transport::find_way_back(Stream& stream, int from_place, int to_place) {
  stream.route_back.clear();
  const double weight = messaging_->acknowledgement_weight();
  if (weight <= 0) return;
  Route back;
  machine_.platform.route(to_place, from_place, back);
  for (const std::int32_t l : back)
    if (static_cast<std::size_t>(l) < machine_.platform.network_links() &&
        std::find(stream.route.begin(), stream.route.end(), l) == stream.route.end())
      stream.route_back.push_back({l, weight});
}

/// False where the message's data wait for their clearance; else its alpha has grown by what that takes.
bool Transport::cleared(MessageId id, double now) {
  Message& m = messages_[id];
  if (m.links.empty() || messaging_->eager(m)) return true;
  const std::uint32_t a = streams_[m.from_stream].last_sender, b = streams_[m.to_stream].last_sender;
  const bool together = (a == nobody_yet && b == nobody_yet) || (a == m.to_stream && b == m.from_stream);
  if (!messaging_->clear(messages_, id, now, together)) return false;
  m.alpha += messages_.extra(id).set_out - now;
  return true;
}

/// Messages whose clearance has waited behind message `id`'s data.
void Transport::resume_blocked(MessageId id, double now) {
  for (MessageId next = messaging_->ended(messages_, id, now); next != no_message;) {
    const MessageId after = std::exchange(messages_.extra(next).blocked, no_message);
    messaging_->resume(messages_, next, now);
    set_out(next, now);
    next = after;
  }
}

/// Under a protocol the sender goes on while the last bytes are still leaving.
void Transport::left(MessageId id, double now) {
  const Message& m = messages_[id];
  if (abandoned(m)) return;
  const double beta =
      std::max(0.0, m.wire - messages_.extra(id).behind - m.credit) / machine_.links.bottleneck(m.links);
  Path path = m.path;
  at(path, Part::alpha) += m.alpha;
  at(path, Part::beta) += beta;
  at(path, Part::contention) += contention(m, now, (now - m.launched) - m.alpha - beta);
  sender_done(m, path);
}

void Transport::answer_offered(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  for (MessageId id = stream.inbox; id != no_message; id = messages_[id].next) {
    if (!matches(stream.step(), messages_[id])) continue;
    if (!messages_[id].offered) return;
    stream.stage = StreamStage::receiving;
    receive(s, now);
    return;
  }
}

} // namespace gradflight
