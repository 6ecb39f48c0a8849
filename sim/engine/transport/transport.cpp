#include "sim/engine/transport/transport.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gradflight {

Transport::Transport(Machine& machine, Calendar& calendar, Streams& streams, Tracks& tracks, const RankWork& rank_work,
                     Recorder& recorder, const Progress& progress)
    : machine_(machine), calendar_(calendar), streams_(streams), tracks_(tracks), rank_work_(rank_work),
      recorder_(recorder), progress_(progress) {
  if (machine.spec.protocol) messaging_.emplace(*machine.spec.protocol);
}

std::int32_t Transport::sender_place(const Message& m) const { return m.beside() ? m.from : track_of(m).place(m.from); }
std::int32_t Transport::receiver_place(const Message& m) const {
  return m.beside() ? static_cast<std::int32_t>(m.to_stream) : track_of(m).place(streams_[m.to_stream].rank);
}

void Transport::find_route(Stream& stream, int from_place, int by_place, int to_place, NicPair nics) {
  const Platform& platform = machine_.platform;
  if (lost_) {
    find_way(stream, from_place, by_place, to_place, nics);
  } else if (by_place < 0) {
    platform.route(from_place, to_place, stream.route, nics);
  } else {
    Route further;
    platform.route(from_place, by_place, stream.route);
    platform.route(by_place, to_place, further, nics);
    stream.route.insert(stream.route.end(), further.begin(), further.end());
  }
  if (!machine_.stand_ins.empty())
    for (std::int32_t& link : stream.route) link = machine_.stand_ins[static_cast<std::size_t>(link)];
  stream.route_to = to_place;
  stream.route_by = by_place;
  stream.route_nics = nics;
  stream.route_alpha = platform.message_overhead();
  for (const std::int32_t l : stream.route) stream.route_alpha += machine_.links.latency(l);
  if (messaging_) find_way_back(stream, from_place, to_place);
}

/// Networks that find routes themselves know only the platform's own.
void Transport::check_own_way(int from_place, int by_place, int to_place, NicPair nics) const {
  const Platform& platform = machine_.platform;
  Route own, asked;
  platform.route(from_place, to_place, own);
  platform.route(from_place, to_place, asked, nics);
  if (by_place >= 0 || asked != own)
    throw std::logic_error("this network cannot send messages through another place or NIC");
}

void Transport::post(std::uint32_t s, double now) {
  const MessageId id = messages_.make();
  Stream& stream = streams_[s];
  const Track& track = tracks_[stream.plan];
  const StepOp& op = stream.step();
  const int from_place = track.place(stream.rank), to_place = track.place(op.transfer.to);
  Message& m = messages_[id];
  m.from_stream = s;
  m.plan = stream.plan;
  m.to_stream = track.address(op.transfer.to, stream.index);
  m.from = stream.rank;
  m.tag = op.tag;
  m.first = op.transfer.out.first;
  m.bucket = op.bucket + op.name;
  m.iteration = op.iteration;
  m.next = no_message;
  m.offered = m.flowing = m.extra = m.queued = false;
  m.credit_line = no_credit_line;
  m.streamed = op.transfer.streamed && !messaging_; // a protocol has its own order
  m.slowing = 1;
  m.posted = now;
  m.path = stream.path;
  ++stream.unsent;
  const bool own_place = to_place == from_place;
  const int by_place = op.transfer.by == no_rank ? -1 : track.place(op.transfer.by);
  const NicPair nics = op.transfer.nics;
  if (!network_->takes_ways() && (by_place >= 0 || nics != NicPair()))
    check_own_way(from_place, by_place, to_place, nics);
  if (!own_place && (stream.route_to != to_place || stream.route_by != by_place || stream.route_nics != nics ||
                     latencies_change_ || way_is_old(s)))
    find_route(stream, from_place, by_place, to_place, nics);
  const double bandwidth =
      own_place || !track.shape->weighs_routes ? 0 : machine_.links.bottleneck_when_up(stream.route);
  weight_.least_alpha = weight_.stored = weight_.busy = 0; // few plans set these
  weight_.rendezvous = false;
  weight_.ahead = 0;
  weight_.links_share = 1;
  track.plan->weigh(op, stream.rank, id, bandwidth, weight_);
  m.payload = weight_.payload;
  m.wire = weight_.wire;
  m.links_share = weight_.links_share;
  m.credit = 0;
  if (own_place) { // free, and not counted
    m.streamed = false;
    m.links.clear();
    deliver(id, now);
    return;
  }
  m.links.assign(stream.route.begin(), stream.route.end());
  m.alpha = std::max(stream.route_alpha, weight_.least_alpha) + weight_.stored;
  m.busy = m.streamed ? std::min(weight_.busy, m.alpha) : 0;
  if (weight_.rendezvous) m.alpha += stream.route_alpha;
  if (latencies_change_) note_latencies(m, stream.route_alpha);
  if (lost_) note_posted(s, id, by_place, nics);
  if (messaging_ || weight_.through_nics || weight_.decode_seconds > 0) fill_extra(id, weight_, from_place, to_place);
  const bool buffered =
      messaging_ ? m.links.empty() || messaging_->eager(m) : op.transfer.buffered || op.transfer.streamed;
  Stream& receiver = streams_[m.to_stream];
  const bool met = receiver.stage == StreamStage::receiving && !receiver.expecting && matches(receiver.step(), m);
  if (!buffered && met && tracks_.ties.prefer_at(calendar_.epoch() + now, receiver.path, m.path))
    m.path = receiver.path;
  if (buffered || met) {
    if (messaging_ && buffered) release_sender(stream, id);
    launch(id, now);
    return;
  }
  m.offered = true;
  put_in_inbox(receiver, id);
}

/// Both sides are ready, or the receiver need not be: the message sets out, under a protocol once it may.
void Transport::launch(MessageId id, double now) {
  Message& m = messages_[id];
  m.launched = m.begun = now;
  Stream& receiver = streams_[m.to_stream];
  if (receiver.stage == StreamStage::receiving && matches(receiver.step(), m)) receiver.expecting = true;
  Track& track = tracks_[receiver.plan];
  track.accounts.message_posted(m.payload, m.wire, now);
  if (progress_ && (track.accounts.messages & 0xffff) == 0) progress_(calendar_.epoch() + now, tracks_.messages());
  if (rank_work_.slowing() > 1 &&
      (RankWork::computing(track, m.from, now) || RankWork::computing(track, receiver.rank, now)))
    m.slowing = rank_work_.slowing();
  if (messaging_ && !cleared(id, now)) return;
  if (m.streamed && weight_.ahead > 0 && !credited(id, now)) return;
  set_out(id, now);
}

/// Returns the seconds before the first byte is on the links.
double Transport::ahead(MessageId id) {
  const Message& m = messages_[id];
  return (m.streamed ? m.busy : m.alpha) * m.slowing + (m.extra ? messages_.extra(id).fill : 0);
}

void Transport::set_out(MessageId id, double now) {
  const double seconds = ahead(id);
  if (seconds > 0)
    calendar_.add(now + seconds, {EventKind::message_begin, id});
  else
    on_links(id, now);
}

void Transport::first_byte(MessageId id, double now) {
  Message& m = messages_[id];
  if (abandoned(m)) return;
  m.begun = now;
  on_links(id, now);
}

void Transport::on_links(MessageId id, double now) {
  const Message& m = messages_[id];
  if (m.wire <= 0 || m.links.empty()) {
    arrived(id, now);
  } else if (lost_ && lost_->broken(m.links)) {
    await_link(id, *std::ranges::find_if_not(m.links, [this](std::int32_t l) { return machine_.links.up(l); }), now);
    find_another(id, now);
  } else if (!messaging_) {
    put_on_links(id, now);
  } else if (messaging_->in_turn(messages_, id)) {
    flow(id, now);
  }
}

std::uint32_t& Transport::box_of(Stream& receiver, std::int32_t from) {
  if (!tracks_[receiver.plan].shape->named_senders) return receiver.boxes;
  std::uint32_t* way = &receiver.boxes;
  while (*way != no_box && boxes_[*way].from != from) way = &boxes_[*way].next;
  return *way;
}

void Transport::put_in_inbox(Stream& receiver, MessageId id) {
  const std::int32_t from = messages_[id].from;
  if (const std::uint32_t b = box_of(receiver, from); b != no_box) {
    messages_[std::exchange(boxes_[b].last, id)].next = id;
    return;
  }
  const Box box{from, id, id, receiver.boxes};
  if (free_boxes_.empty()) {
    receiver.boxes = static_cast<std::uint32_t>(boxes_.size());
    boxes_.push_back(box);
  } else {
    receiver.boxes = free_boxes_.back();
    free_boxes_.pop_back();
    boxes_[receiver.boxes] = box;
  }
}

bool Transport::matches(const StepOp& op, const Message& m) {
  // The range distinguishes what one sender sends in one exchange: shards of several servers down their trees.
  return (op.transfer.from == anyone || op.transfer.from == m.from) &&
         (op.tag == any_tag || (op.tag == m.tag && op.transfer.in.first == m.first));
}

bool Transport::receive(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  std::uint32_t& way = box_of(stream, stream.step().transfer.from);
  if (way == no_box) return false;
  Box& box = boxes_[way];
  MessageId previous = no_message;
  for (MessageId id = box.first; id != no_message; previous = id, id = messages_[id].next) {
    Message& m = messages_[id];
    if (!matches(stream.step(), m)) continue;
    (previous == no_message ? box.first : messages_[previous].next) = m.next;
    if (m.next == no_message) box.last = previous;
    m.next = no_message;
    if (box.first == no_message) {
      free_boxes_.push_back(way);
      way = box.next;
    }
    if (!m.offered) {
      take(s, id, now);
      return true;
    }
    m.offered = false;
    // The receiver was late, or both were.
    const bool late = !same_instant(calendar_.epoch() + m.posted, calendar_.epoch() + now);
    if (late || tracks_.ties.prefer(stream.path, m.path)) m.path = stream.path;
    launch(id, now);
    return false;
  }
  return false;
}

void Transport::take(std::uint32_t s, MessageId id, double now) {
  Stream& stream = streams_[s];
  const Message& m = messages_[id];
  stream.last_sender = m.from_stream;
  StepOp& op = stream.step();
  if (op.tag == any_tag) { // its later work belongs to the message's exchange
    op.bucket = m.bucket;
    op.iteration = m.iteration;
    stream.program->received(m.from, m.tag);
  }
  const Track& track = tracks_[stream.plan];
  if (track.shape->contents) track.plan->received(op, stream.rank, id);
  if (m.extra) stream.decode_seconds = messages_.extra(id).decode;
  if (m.credit_line != no_credit_line) {
    const double known = now + way_back(m);
    note_credit(known);
    const MessageId next = credits_.release(m.credit_line, known);
    if (next != no_message) {
      const Message& waiting = messages_[next];
      calendar_.add(known + waiting.busy * waiting.slowing, {EventKind::message_begin, next});
    }
  }
  messages_.release(id);
}

void Transport::discard_inboxes(const Track& track) {
  for (std::uint32_t s = track.first; s < track.first + track.count; ++s)
    for (std::uint32_t b = std::exchange(streams_[s].boxes, no_box); b != no_box; b = boxes_[b].next) {
      for (MessageId id = boxes_[b].first; id != no_message;) {
        const MessageId next = messages_[id].next;
        messages_.release(id);
        id = next;
      }
      free_boxes_.push_back(b);
    }
}

} // namespace gradflight
