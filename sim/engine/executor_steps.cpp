// Steps of an exchange: post the message, wait for the peer's, combine it, wait until one's own has arrived.
#include "sim/engine/executor.hpp"

#include <algorithm>
#include <cmath>

namespace gradflight {

namespace {
constexpr std::size_t at(Part part) { return static_cast<std::size_t>(part); }
} // namespace

int Executor::receiver_place(const Message& m) const { return place_of(streams_[m.to_stream].rank); }

bool Executor::begin_step(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const Op& op = stream.op;
  if (op.lag > 0) {
    const auto slots = static_cast<std::size_t>(op.lag) + 1;
    if (stream.lags.size() != slots || op.step == 0) stream.lags.assign(slots, {});
    // The slot still holds the reduction of step - lag - 1, which this step builds on.
    const Lag& earlier = stream.lags[static_cast<std::size_t>(op.step) % slots];
    if (earlier.end > now) {
      stream.path = earlier.path;
      stream.stage = Stage::lagging;
      calendar_.add(earlier.end, {EventKind::stream, s});
      return false;
    }
  }
  return transfer(s, now);
}

/// Sends, and waits for the message to receive. True when the whole step is over at once.
bool Executor::transfer(std::uint32_t s, double now) {
  if (streams_[s].op.transfer.to != nobody) post(s, now);
  Stream& stream = streams_[s];
  if (stream.op.transfer.from == nobody) return sent(s);
  stream.stage = Stage::receiving;
  stream.expecting = false;
  if (!take_from_inbox(s, now)) return false;
  return combine(s, now);
}

bool Executor::combine(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const Op& op = stream.op;
  const bool lagging = op.lag > 0;
  if (lagging) stream.lags[static_cast<std::size_t>(op.step) % stream.lags.size()] = {};
  if (op.combine_seconds <= 0) return sent(s);
  if (job_->streams() == 1) return reduce(s, now);
  // Streams of a rank that ask at the same instant are served in the order of the streams, not of their messages, which
  // engines need not agree on.
  stream.stage = Stage::asking;
  if (asking_.empty()) calendar_.add(now, {EventKind::reduce, 0});
  asking_.push_back(s);
  return false;
}

void Executor::grant_reducers(double now) {
  std::sort(asking_.begin(), asking_.end());
  for (const std::uint32_t s : asking_) {
    if (!reduce(s, now)) continue;
    streams_[s].stage = Stage::fetch;
    ready_.push_back(s);
  }
  asking_.clear();
}

/// Puts what was received through the rank's reducer. True when the step need not wait for it.
bool Executor::reduce(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  const Op& op = stream.op;
  const bool lagging = op.lag > 0;
  const bool merge = op.transfer.combine == Combine::merge;
  double begin = now;
  const double end = occupy(stream, Resource::reducer, op.combine_seconds, now, begin);
  Path path = stream.path;
  path[at(Part::queue)] += begin - now;
  path[at(merge ? Part::merge : Part::gamma)] += op.combine_seconds;
  record(stream, merge ? Activity::merge : Activity::reduce, op.bucket, begin, end);
  if (lagging) {
    stream.last_combine = {end, path};
    stream.lags[static_cast<std::size_t>(op.step) % stream.lags.size()] = stream.last_combine;
    return sent(s);
  }
  stream.path = path;
  stream.stage = Stage::combining;
  calendar_.add(end, {EventKind::stream, s});
  return false;
}

/// True unless the step has to wait for its own messages to arrive.
bool Executor::sent(std::uint32_t s) {
  Stream& stream = streams_[s];
  if (!stream.op.transfer.wait_sent || stream.unsent == 0) return true;
  stream.stage = Stage::sending;
  return false;
}

void Executor::find_route(Stream& stream, int to_place) {
  const int from_place = place_of(stream.rank);
  platform_.route(from_place, to_place, stream.route);
  stream.route_to = to_place;
  stream.route_alpha = platform_.message_overhead();
  stream.route_bandwidth = Calendar::never;
  for (const std::int32_t l : stream.route) {
    const DirectedLink& link = platform_.links()[static_cast<std::size_t>(l)];
    stream.route_alpha += link.latency;
    stream.route_bandwidth = std::min(stream.route_bandwidth, link.bandwidth);
  }
}

void Executor::post(std::uint32_t s, double now) {
  const MessageId id = messages_.make();
  Stream& stream = streams_[s];
  const Op& op = stream.op;
  const int to_place = place_of(op.transfer.to);
  Message& m = messages_[id];
  m.from_stream = s;
  m.to_stream = static_cast<std::uint32_t>(op.transfer.to * streams_per_rank_ + stream.index);
  m.from = stream.rank;
  m.tag = op.tag;
  m.first = op.transfer.out.first;
  m.payload = op.send_payload;
  m.wire = data_ ? data_->send(op, stream.rank, id) : op.send_wire;
  m.posted = now;
  m.path = stream.path;
  m.bucket = op.bucket;
  m.step = op.step;
  m.iteration = op.iteration;
  m.next = no_message;
  m.slowing = 1;
  m.offered = m.flowing = false;
  ++stream.unsent;
  if (to_place == place_of(stream.rank)) { // to itself: free, and not counted
    m.links.clear();
    m.wire = -1;
    deliver(id, now);
    return;
  }
  m.wire += job_->message_bytes;
  if (stream.route_to != to_place) find_route(stream, to_place);
  m.links = stream.route;
  m.alpha = stream.route_alpha;
  m.bandwidth = stream.route_bandwidth;
  Stream& receiver = streams_[m.to_stream];
  const bool met = receiver.stage == Stage::receiving && !receiver.expecting && matches(receiver.op, m);
  if (op.transfer.buffered || met) {
    launch(id, now);
    return;
  }
  m.offered = true;
  put_in_inbox(receiver, id);
}

/// The message sets out: alpha, then its bytes.
void Executor::launch(MessageId id, double now) {
  Message& m = messages_[id];
  m.launched = m.begun = now;
  Stream& receiver = streams_[m.to_stream];
  if (receiver.stage == Stage::receiving && matches(receiver.op, m)) receiver.expecting = true;
  accounts_.message_posted(m.payload, m.wire, now);
  if (options_.progress && (accounts_.messages & 0xffff) == 0) options_.progress(now, accounts_.messages);
  if (beside_compute_ > 1 && (computing_until_[static_cast<std::size_t>(m.from)] > now ||
                              computing_until_[static_cast<std::size_t>(receiver.rank)] > now))
    m.slowing = beside_compute_;
  if (m.alpha > 0) {
    calendar_.add(now + m.alpha * m.slowing, {EventKind::message_begin, id});
  } else if (m.wire > 0 && !m.links.empty()) {
    network_->begin(id, now);
  } else {
    arrived(id, now);
  }
}

/// The last byte is there: the time since it set out is alpha, beta, what compute beside it has cost and, beyond, what
/// sharing links has.
void Executor::arrived(MessageId id, double now) {
  Message& m = messages_[id];
  if (over_) return;
  accounts_.message_arrived(m.wire, now);
  const double beta = m.links.empty() ? 0 : m.wire / m.bandwidth;
  const double interference = (m.slowing - 1) * (m.alpha + beta);
  double contention = (now - m.launched) - m.alpha - beta - interference;
  if (std::abs(contention) < 1e-9 * (now - m.launched)) contention = 0;
  m.path[at(Part::alpha)] += m.alpha;
  m.path[at(Part::beta)] += beta;
  m.path[at(Part::contention)] += contention;
  m.path[at(Part::interference)] += interference;
  record(m, now);
  deliver(id, now);
}

void Executor::deliver(MessageId id, double) {
  Message& m = messages_[id];
  Stream& sender = streams_[m.from_stream];
  if (--sender.unsent == 0 && sender.stage == Stage::sending) {
    sender.path = m.path;
    ready_.push_back(m.from_stream);
  }
  Stream& receiver = streams_[m.to_stream];
  if (receiver.stage == Stage::receiving && matches(receiver.op, m)) {
    receiver.path = m.path;
    take(m.to_stream, id);
    receiver.stage = Stage::taken;
    ready_.push_back(m.to_stream);
    return;
  }
  put_in_inbox(receiver, id);
}

void Executor::put_in_inbox(Stream& receiver, MessageId id) {
  if (receiver.inbox_last == no_message)
    receiver.inbox = id;
  else
    messages_[receiver.inbox_last].next = id;
  receiver.inbox_last = id;
}

bool Executor::matches(const Op& op, const Message& m) {
  // The range tells apart what one sender sends in one exchange: shards of several servers down their trees.
  return (op.transfer.from == anyone || op.transfer.from == m.from) &&
         (op.tag == any_tag || (op.tag == m.tag && op.transfer.in.first == m.first));
}

/// True if a matching message has already arrived. One that is only offered sets out now; the step awaits it.
bool Executor::take_from_inbox(std::uint32_t s, double now) {
  Stream& stream = streams_[s];
  MessageId previous = no_message;
  for (MessageId id = stream.inbox; id != no_message; previous = id, id = messages_[id].next) {
    Message& m = messages_[id];
    if (!matches(stream.op, m)) continue;
    (previous == no_message ? stream.inbox : messages_[previous].next) = m.next;
    if (m.next == no_message) stream.inbox_last = previous;
    m.next = no_message;
    if (!m.offered) {
      take(s, id);
      return true;
    }
    m.offered = false;
    if (now > m.posted) m.path = stream.path; // it was the receiver that was late
    launch(id, now);
    return false;
  }
  return false;
}

void Executor::take(std::uint32_t s, MessageId id) {
  if (data_) data_->receive(streams_[s].op, streams_[s].rank, id);
  streams_[s].program->received(messages_[id].from, messages_[id].tag);
  messages_.release(id);
}

} // namespace gradflight
