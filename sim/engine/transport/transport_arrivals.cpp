// What happens when the bytes of a message have left its links: its critical path, its sender and its receiver.
#include "sim/engine/transport/transport.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

/// The message has left. If it was the last of its sender's unsent messages, the sender continues.
void Transport::sender_done(const Message& m, const TracedPath& path) {
  Stream& sender = streams_[m.from_stream];
  if (--sender.unsent > 0 || sender.stage != StreamStage::sending) return;
  sender.path = path;
  streams_.wake(m.from_stream);
}

/// The last byte is off the links, though a compressing NIC may still hold it.
void Transport::arrived(MessageId id, double now) {
  if (messages_[id].beside()) {
    background_->ended(id, now);
    return;
  }
  if (messaging_ && messages_[id].wire > 0 && !messages_[id].links.empty()) make_way(id, 0, now);
  Message& m = messages_[id];
  if (links_change_ && m.wire > 0 && !m.links.empty()) {
    end_alone(id, now);
    fit_shared(m.path, id, now);
  }
  double tail = m.extra ? messages_.extra(id).tail : 0;
  if (m.streamed) {
    tail += (m.alpha - m.busy) * m.slowing;
    send_next(id, now);
  }
  if (tail > 0)
    calendar_.add(now + tail, {EventKind::message_there, id});
  else
    there(id, now);
}

/// The bytes of a streamed message have left.
void Transport::send_next(MessageId id, double now) {
  const Message& m = messages_[id];
  if (abandoned(m)) return;
  const Beta beta = beta_of(id, m.wire);
  const double interference = (m.slowing - 1) * (m.busy + beta.seconds);
  TracedPath path = m.path;
  at(path, Part::alpha) += m.busy;
  add_beta(path, id, beta);
  add_outage(path, id);
  at(path, Part::interference) += interference;
  at(path, Part::contention) +=
      contention(m, now, (now - m.launched) - m.busy - beta.seconds - interference - outages_and_traffic(path, id));
  sender_done(m, path);
}

/// The last byte has arrived. The time since the message set out consists of alpha, beta, the NIC's times and the cost
/// of sharing links.
void Transport::there(MessageId id, double now) {
  Message& m = messages_[id];
  Track& track = track_of(m);
  if (tracks_.over(m.plan)) return;
  track.accounts.message_arrived(m.wire, now);
  Beta beta = beta_of(id, std::max(0.0, m.wire - m.credit));
  if (m.queued && !(lost_ && lost_->knowledge() > 0)) { // else it may have taken another way
    m.path = path_by(network_->full_link(), beta.seconds, now);
    recorder_.transfer(track, streams_[m.to_stream], m, 0, {}, now);
    deliver(id, now);
    return;
  }
  double engine = 0, tail = 0, in_nics = 0;
  if (m.extra) {
    const MessageExtra& extra = messages_.extra(id);
    engine = extra.engine;
    if (links_change_) { // beta then contains both
      engine = std::min(engine, beta.seconds);
      beta.seconds -= engine;
    }
    tail = extra.tail;
    in_nics = extra.fill + extra.tail;
  }
  const double interference = (m.slowing - 1) * (m.alpha + beta.seconds + engine);
  double rest = (now - m.launched) - m.alpha - beta.seconds - interference - outages_and_traffic(m.path, id);
  if (m.extra) {
    rest -= in_nics + engine;
    at(m.path, Part::nic_pipeline) += in_nics;
    at(m.path, Part::nic_engine) += engine;
    // An engine slower than the wire holds up the bytes. Faster wires would gain no more than the last burst's time.
    if (engine > 0 && !links_change_) {
      const double on_wire = std::min(beta.seconds, messages_.extra(id).on_wire);
      m.path.hold(beta.tiers, on_wire, m.links_share);
      m.path.hold(std::uint32_t{1} << static_cast<unsigned>(LinkTier::codec), beta.seconds - on_wire, m.links_share);
      beta.tiers = 0;
    }
  }
  at(m.path, Part::alpha) += m.alpha;
  m.path.last_delay = machine_.delays.append(m.path.last_delay, std::exchange(m.latencies, 0));
  add_beta(m.path, id, beta);
  add_outage(m.path, id);
  at(m.path, Part::contention) += contention(m, now, rest);
  at(m.path, Part::interference) += interference;
  const Stream& receiver = streams_[m.to_stream];
  if (m.streamed) tail += (m.alpha - m.busy) * m.slowing;
  recorder_.transfer(track, receiver, m, tail, messages_.shares(id), now);
  if (messaging_) resume_blocked(id, now);
  deliver(id, now);
}

/// Returns the path to the end of a message whose bytes take `alone` seconds alone, over a link that was full.
TracedPath Transport::path_by(const FullLink& full, double alone, double now) {
  TracedPath path = full.path;
  const double busy = now - full.begun() - full.outage, beta = std::min(alone, busy);
  at(path, Part::alpha) += full.alpha;
  at(path, Part::beta) += beta;
  at(path, Part::contention) += busy - beta;
  at(path, Part::outage) += full.outage;
  path.hold(machine_.links.tier(full.link), busy);
  path.last_delay = machine_.delays.add(path.last_delay, full.link, busy - beta);
  if (full.changes != 0)
    path.last_delay =
        machine_.delays.add_cost(path.last_delay, PlatformChange::What::bandwidth, full.link, full.changes);
  return path;
}

void Transport::deliver(MessageId id, double now) {
  const Message& m = messages_[id];
  if (!m.streamed && (!m.extra || !messages_.extra(id).sender_released)) sender_done(m, m.path);
  Stream& receiver = streams_[m.to_stream];
  if (receiver.stage == StreamStage::receiving && matches(receiver.step(), m)) {
    receiver.path = m.path;
    take(m.to_stream, id, now);
    receiver.stage = StreamStage::taken;
    streams_.wake(m.to_stream);
    return;
  }
  put_in_inbox(receiver, id);
}

} // namespace gradflight
