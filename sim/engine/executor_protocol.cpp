// What a protocol adds to an exchange's steps: clearance, acknowledgements, senders that go on early.
#include "sim/engine/executor.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

namespace {
constexpr std::size_t at(Part part) { return static_cast<std::size_t>(part); }
} // namespace

/// The network's links back that acknowledgements load, but those that data and acknowledgements have in common.
void Executor::find_way_back(Stream& stream, int to_place) {
  stream.route_back.clear();
  const double weight = messaging_->acknowledgement_weight();
  if (weight <= 0) return;
  Route back;
  platform_.route(to_place, place_of(stream.rank), back);
  for (const std::int32_t l : back)
    if (static_cast<std::size_t>(l) < platform_.network_links() &&
        std::find(stream.route.begin(), stream.route.end(), l) == stream.route.end())
      stream.route_back.push_back({l, weight});
}

/// False where the message's data wait for their clearance; else its alpha has grown by what that takes.
bool Executor::cleared(MessageId id, double now) {
  Message& m = messages_[id];
  if (m.links.empty() || messaging_->eager(m)) return true;
  const std::uint32_t a = streams_[m.from_stream].last_sender, b = streams_[m.to_stream].last_sender;
  const bool together = (a == nobody_yet && b == nobody_yet) || (a == m.to_stream && b == m.from_stream);
  if (!messaging_->clear(messages_, id, now, together)) return false;
  m.alpha += m.set_out - now;
  return true;
}

/// Messages whose clearance has waited behind message `id`'s data.
void Executor::resume_blocked(MessageId id, double now) {
  for (MessageId next = messaging_->ended(messages_, id, now); next != no_message;) {
    const MessageId after = std::exchange(messages_[next].blocked, no_message);
    messaging_->resume(messages_, next, now);
    const Message& m = messages_[next];
    set_out(next, m.alpha * m.slowing + (placed_ ? m.fill : 0), now);
    next = after;
  }
}

/// Under a protocol the sender goes on while the last bytes are still leaving.
void Executor::left(MessageId id, double now) {
  if (over_) return;
  const Message& m = messages_[id];
  const double beta = std::max(0.0, m.wire - m.behind - m.credit) / m.bandwidth;
  Path path = m.path;
  path[at(Part::alpha)] += m.alpha;
  path[at(Part::beta)] += beta;
  path[at(Part::contention)] += (now - m.launched) - m.alpha - beta;
  sender_done(m, path);
}

/// Under a protocol, an announcement that is already there is answered before the rank sends its own.
void Executor::launch_offered(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  for (MessageId id = stream.inbox; id != no_message; id = messages_[id].next) {
    if (!matches(stream.step(), messages_[id])) continue;
    if (!messages_[id].offered) return;
    stream.stage = Stage::receiving;
    take_from_inbox(s, now);
    return;
  }
}

} // namespace gradflight
