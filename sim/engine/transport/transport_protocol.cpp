// What a protocol adds to an exchange's steps: clearance, credits, acknowledgements, senders that continue early.
#include "sim/engine/transport/transport.hpp"

#include <algorithm>
#include <utility>

namespace gradflight {

/// Finds the links back that acknowledgements load, without those that data and acknowledgements share.
void Transport::find_way_back(Stream& stream, int from_place, int to_place) {
  stream.route_back.clear();
  const double weight = messaging_->acknowledgement_weight();
  if (weight <= 0) return;
  Route back;
  machine_.platform.route(to_place, from_place, back, {stream.route_nics.in, stream.route_nics.out});
  add_acknowledgements(machine_.platform, stream.route, back, weight, stream.route_back);
}

/// Returns false if the message's data wait for their clearance; otherwise adds the time for it to alpha.
bool Transport::cleared(MessageId id, double now) {
  Message& m = messages_[id];
  if (m.links.empty() || messaging_->eager(m)) return true;
  const std::uint32_t a = streams_[m.from_stream].last_sender, b = streams_[m.to_stream].last_sender;
  const bool together = machine_.spec.protocol->announcements == Announcements::cross ||
                        (a == nobody_yet && b == nobody_yet) || (a == m.to_stream && b == m.from_stream);
  if (!messaging_->clear(messages_, id, now, together)) return false;
  m.alpha += messages_.extra(id).set_out - now;
  return true;
}

/// Returns the seconds that a credit takes back to this message's sender: the latencies of its links, without the
/// hosts' work on data (message_overhead).
double Transport::way_back(const Message& m) const {
  double latency = 0;
  for (const std::int32_t link : m.links) latency += machine_.links.latency(link);
  return latency;
}

/// Returns whether the sender of a message being posted has credit for it now. Otherwise it sets out later.
bool Transport::credited(MessageId id, double now) {
  Message& m = messages_[id];
  if (!weight_.ahead_on_short_ways && 2 * way_back(m) <= weight_.least_alpha) return true;
  m.credit_line = credits_.line(m.from_stream, m.to_stream);
  const auto from = credits_.send(m.credit_line, weight_.ahead, id);
  if (from && *from > now) calendar_.add(*from + m.busy * m.slowing, {EventKind::message_begin, id});
  return from && *from <= now;
}

/// Resumes messages with a clearance that has waited behind message `id`'s data.
void Transport::resume_blocked(MessageId id, double now) {
  for (MessageId next = messaging_->ended(messages_, id, now); next != no_message;) {
    const MessageId after = std::exchange(messages_.extra(next).blocked, no_message);
    messaging_->resume(messages_, next, now);
    set_out(next, now);
    next = after;
  }
}

/// Fills in what few messages have: a codec's times and stages, a protocol's acknowledgements and buffer.
void Transport::fill_extra(MessageId id, const Weight& weight, int from_place, int to_place) {
  MessageExtra& extra = messages_.give_extra(id);
  const Message& m = messages_[id];
  extra.decode = weight.decode_seconds;
  if (weight.through_nics) {
    extra.fill = weight.fill;
    extra.tail = weight.tail;
    extra.engine = weight.engine;
    extra.on_wire = weight.on_wire;
    const auto& places = machine_.platform.places();
    machine_.nics.lay(weight, places[static_cast<std::size_t>(from_place)].node,
                      places[static_cast<std::size_t>(to_place)].node, extra.shares);
  }
  if (!messaging_) return;
  const Stream& stream = streams_[m.from_stream];
  const Step& step = stream.step().transfer;
  // In an exchange with one peer, acknowledgements ride on the data that flow the other way.
  if (step.from != step.to) extra.shares.insert(extra.shares.end(), stream.route_back.begin(), stream.route_back.end());
  if (m.links.empty()) return;
  const Messaging::Marks marks = messaging_->marks(m.wire, machine_.links.bottleneck(m.links));
  extra.goes_on = marks.goes_on;
  extra.behind = marks.behind;
}

/// The sender of an eager message that fits its buffer continues at once.
void Transport::release_sender(Stream& sender, MessageId id) {
  const Message& m = messages_[id];
  if (m.links.empty() || m.wire <= 0 || messages_.extra(id).goes_on < m.wire || !messaging_->nothing_before(m)) return;
  messages_.extra(id).sender_released = true;
  messaging_->queue_behind(m, id);
  --sender.unsent;
}

/// The message's turn has come: it enters its links.
void Transport::flow(MessageId id, double now) {
  Message& m = messages_[id];
  m.begun = now;
  put_on_links(id, now);
  left(id, m.wire - m.credit, now); // the bytes that pass at once may reach a mark
}

/// Under a protocol the sender continues while the last bytes are still leaving.
void Transport::left(MessageId id, double rest, double now) {
  const Message& m = messages_[id];
  if (abandoned(m)) return;
  MessageExtra& extra = messages_.extra(id);
  if (!extra.sender_released && rest <= extra.goes_on) {
    extra.sender_released = true;
    messaging_->queue_behind(m, id);
    TracedPath path = m.path;
    if (links_change_) {
      follow_alone(id, now);
      fit_shared(path, id, now);
    }
    const Beta beta = beta_of(id, std::max(0.0, m.wire - rest - m.credit));
    at(path, Part::alpha) += m.alpha;
    add_beta(path, id, beta);
    add_outage(path, id);
    at(path, Part::contention) +=
        contention(m, now, (now - m.launched) - m.alpha - beta.seconds - outages_and_traffic(path, id));
    sender_done(m, path);
  }
  if (extra.behind > 0 && rest <= extra.behind) make_way(id, rest, now);
}

/// `rest` bytes of this message are left. Messages that have waited behind it may now flow.
void Transport::make_way(MessageId id, double rest, double now) {
  std::vector<MessageId> next; // a local list, since a message that may flow can call this again at once
  next.swap(turns_);
  next.clear();
  if (rest > 0)
    messaging_->leave_queue(messages_, id, next);
  else
    messaging_->leave_links(messages_, id, next);
  for (const MessageId m : next)
    if (!abandoned(messages_[m])) flow(m, now);
  turns_.swap(next);
}

void Transport::answer_offered(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const std::uint32_t box = box_of(stream, stream.step().transfer.from);
  if (box == no_box) return;
  for (MessageId id = boxes_[box].first; id != no_message; id = messages_[id].next) {
    if (!matches(stream.step(), messages_[id])) continue;
    if (!messages_[id].offered) return;
    stream.stage = StreamStage::receiving;
    receive(s, now);
    return;
  }
}

} // namespace gradflight
